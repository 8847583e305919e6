import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { agePrograms } from '@tideport/testing/age'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { createIdentity, createVaultKey, encryptSource, openVaultKey, sealVaultKey } from '../../src/crypto.ts'
import { sourceOf } from '../../src/transfer/source.ts'

const run = promisify(execFile)
const programs = await agePrograms()
const lineOf = (key: Uint8Array) => `tideport-vault-key-1:${Buffer.from(key).toString('base64url')}\n`

/** The program from the page about the format. */
const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/private-file-format.md'), 'utf8')
const decryptor = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code as string).at(-1) as string

async function workplace() {
  const directory = await createTemporaryDirectory('age')
  const at = (name: string) => join(directory.path, name)
  const age = (args: string[], env: Record<string, string> = {}) =>
    run(join(programs as string, 'age'), args, {
      cwd: directory.path,
      env: { PATH: programs, ...env },
    })
  return { at, age, path: directory.path, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

/** Built from `tools/age`. Skipped without Go and a module proxy. */
describe.skipIf(programs === undefined)('age itself (needs Go)', () => {
  it('opens a vault key with each identity that it was sealed for', async () => {
    await using work = await workplace()
    await run(join(programs as string, 'age-keygen'), ['-o', work.at('theirs.txt')])
    const [, theirs = ''] = /# public key: (age1\S+)/.exec(await readFile(work.at('theirs.txt'), 'utf8')) ?? []
    const ours = await createIdentity()
    await writeFile(work.at('ours.txt'), ours.identity)
    const key = createVaultKey()
    await writeFile(work.at('vault-key.age'), await sealVaultKey(key, { recipients: [ours.recipient, theirs] }))
    for (const identity of ['ours.txt', 'theirs.txt']) {
      expect((await work.age(['-d', '-i', identity, 'vault-key.age'])).stdout).toBe(lineOf(key))
    }
    await run(join(programs as string, 'age-keygen'), ['-o', work.at('others.txt')])
    await expect(work.age(['-d', '-i', 'others.txt', 'vault-key.age'])).rejects.toThrow(/no identity matched/)
  })

  it('seals a vault key that the SDK opens', async () => {
    await using work = await workplace()
    const { identity, recipient } = await createIdentity()
    const key = createVaultKey()
    await writeFile(work.at('vault-key.txt'), lineOf(key))
    await work.age(['-r', recipient, '-o', 'binary.age', 'vault-key.txt'])
    await work.age(['-a', '-r', recipient, '-o', 'armored.age', 'vault-key.txt'])
    await expect(openVaultKey(await readFile(work.at('binary.age')), { identity })).resolves.toEqual(key)
    await expect(openVaultKey(await readFile(work.at('armored.age'), 'utf8'), { identity })).resolves.toEqual(key)
  })

  it('opens and seals with a passphrase', async () => {
    await using work = await workplace()
    const passphrase = 'Häfen und Schiffe'
    const key = createVaultKey()
    await writeFile(work.at('ours.age'), await sealVaultKey(key, { passphrase, workFactor: 14 }))
    const env = { AGE_PASSPHRASE: passphrase, AGE_PASSPHRASE_WORK_FACTOR: '14' }
    expect((await work.age(['-d', '-j', 'batchpass', 'ours.age'], env)).stdout).toBe(lineOf(key))
    await writeFile(work.at('vault-key.txt'), lineOf(key))
    await work.age(['-e', '-j', 'batchpass', '-o', 'theirs.age', 'vault-key.txt'], env)
    await expect(openVaultKey(await readFile(work.at('theirs.age')), { passphrase })).resolves.toEqual(key)
  })

  it('restores a file together with the published program of at most 150 lines', async () => {
    await using work = await workplace()
    const { identity, recipient } = await createIdentity()
    const key = createVaultKey()
    const plaintext = randomBytes(2_500_000)
    const { encrypted, fields } = await encryptSource(sourceOf(plaintext), key)
    await writeFile(work.at('identity.txt'), identity)
    await writeFile(work.at('vault-key.age'), await sealVaultKey(key, { recipients: [recipient] }))
    await writeFile(work.at('record.json'), JSON.stringify({ ...fields, sizeBytes: encrypted.size }))
    await writeFile(work.at('encrypted.bin'), (await encrypted.slice(0, encrypted.size)) as Uint8Array)
    await work.age(['-d', '-i', 'identity.txt', '-o', 'vault-key.txt', 'vault-key.age'])
    await writeFile(work.at('decrypt.mjs'), decryptor)
    expect(decryptor.split('\n').length).toBeLessThanOrEqual(150)
    const args = ['decrypt.mjs', 'vault-key.txt', 'record.json', 'encrypted.bin']
    const options = { cwd: work.path, encoding: 'buffer', maxBuffer: 10_000_000 } as const
    expect((await run(process.execPath, args, options)).stdout.equals(plaintext)).toBe(true)
  })
})
