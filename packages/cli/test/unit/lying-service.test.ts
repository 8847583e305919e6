import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createClient, type FileRecord, type Vault } from '@tideport/sdk'
import { createIdentity, createVaultKey, encryptSource, sealVaultKey, vaultKeyId } from '@tideport/sdk/crypto'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { beforeAll, describe, expect, it } from 'vitest'
import { tools } from '../../src/mcp/tools.ts'
import { runLine } from '../run-line.ts'

const idOf = (digit: number) => `01a21349-feb8-7198-a97b-${String(digit).repeat(12)}`
const [DIARY, OPEN, EXPORT] = [idOf(1), idOf(2), idOf(3)]
const FORGED = 'forged by the service'

const vaultOf = (id: string, slug: string, more: Partial<Vault> = {}): Vault => ({ id, slug, name: slug, description: '', visibility: 'private', isDefault: false, isExport: false, fileCount: 1, storageBytes: 1, filesExpireAfterSeconds: null, keyId: null, createdAt: 'x', updatedAt: 'x', deletedAt: null, ...more }) // biome-ignore format: one record
const fileOf = (id: string, vaultId: string, more: Partial<FileRecord> = {}): FileRecord => ({ id, vaultId, name: 'a.txt', path: 'a.txt', mimeType: 'text/plain', sizeBytes: FORGED.length, status: 'hot', storageNetworkBlobId: null, wrappedKey: null, encryptionIv: null, plaintextSizeBytes: null, plaintextChecksumSha256: null, error: null, errorCode: null, checksumSha256: null, expectedBlobId: null, inHotCache: true, rehydrating: false, syncAttempts: 0, leaseExpiresAt: null, hotUntil: null, createdAt: 'x', updatedAt: 'x', confirmedAt: 'x', syncedAt: null, evictedAt: null, deletedAt: null, replaces: null, replacedBy: null, metadata: {}, tags: [], sealedMetadata: null, expiresAt: null, awaitingReview: false, ...more }) // biome-ignore format: one record

/** The responses of the service, which the tests falsify. */
interface Answers {
  vaults: Vault[]
  file: FileRecord
  bytes: Uint8Array
}
let honest: Answers
let answers: Answers
let base: string
let home: string
let environment: Record<string, string>

beforeAll(async () => {
  const server = createServer(({ url = '' }, response) => {
    const { vaults, file, bytes } = answers
    const [, vaultId] = /^\/api\/vaults\/([^/?]+)/.exec(url) ?? []
    const vault = vaults.find(({ id }) => id === vaultId)
    const json = (value: unknown) => response.writeHead(value ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(value ?? {})) // biome-ignore format: one line
    if (url.startsWith('/bytes')) response.end(bytes)
    else if (vaultId !== undefined) json(vault)
    else if (url.startsWith('/api/vaults')) json({ vaults, nextCursor: null })
    else if (/^\/api\/files\/[^/?]+\/download/.test(url))
      json({ downloadUrl: `${base}/bytes`, source: 'hot', expiresAt: 'x' })
    else if (/^\/api\/files\/[^/?]+/.test(url)) json(file)
    else json({ files: [file], nextCursor: null })
  })
  base = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const directory = await createTemporaryDirectory('lying-service')
  home = directory.path
  const vaultKey = createVaultKey()
  const { identity, recipient } = await createIdentity()
  const folder = join(home, 'tideport/vault-keys', encodeURIComponent(base))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `diary_${DIARY}.age`), await sealVaultKey(vaultKey, { recipients: [recipient] }))
  await writeFile(join(home, 'identity'), identity)
  const { encrypted, fields } = await encryptSource(new Blob(['Dear diary']), vaultKey)
  const bytes = new Uint8Array(await new Response((await encrypted.slice(0, encrypted.size)) as Blob).arrayBuffer())
  const keyId = await vaultKeyId(vaultKey)
  honest = {
    vaults: [vaultOf(DIARY, 'diary', { keyId }), vaultOf(OPEN, 'open', { visibility: 'public' }), vaultOf(EXPORT, 'export', { isExport: true })], // biome-ignore format: one list
    file: fileOf(idOf(7), DIARY, { ...fields, sizeBytes: bytes.length }),
    bytes,
  }
  environment = { XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, TIDEPORT_URL: base, TIDEPORT_API_KEY: 'tdp_x', TIDEPORT_IDENTITY: join(home, 'identity') } // biome-ignore format: one record
  return async () => {
    await closeAtOnce(server)
    await directory[Symbol.asyncDispose]()
  }
})

const plain = (vaultId: string, more: Partial<FileRecord> = {}) => fileOf(idOf(7), vaultId, more)
const without = (lie: (diary: Vault) => Partial<Vault>) => () => {
  const [diary, ...others] = honest.vaults as [Vault, ...Vault[]]
  return { file: plain(DIARY), vaults: [{ ...diary, ...lie(diary) }, ...others] }
}

/** Replacements for an encrypted file of the vault. */
const lies: Record<string, () => Partial<Answers>> = {
  'a plaintext file': () => ({ file: plain(DIARY) }),
  'a plaintext file with the other fields of the record': () => ({ file: { ...honest.file, wrappedKey: null } }),
  'a plaintext file of a vault that it reports as public': without(() => ({ visibility: 'public' })),
  'a plaintext file of a vault that it reports as public and without a key': without(() => ({
    visibility: 'public',
    keyId: null,
  })),
  'a plaintext file of a vault that it reports without a key': without(() => ({ keyId: null })),
  'a plaintext file of a vault that it reports as an export': without(() => ({ isExport: true })),
  'a plaintext file of a vault that it reports as an export without a key': without(() => ({
    isExport: true,
    keyId: null,
  })),
  'another file': () => ({ file: fileOf(idOf(8), OPEN) }),
  'a file in the trash': () => ({ file: { ...plain(DIARY), deletedAt: 'x' } }),
}
const commands: string[][] = [
  ['cat', 'diary:a.txt'],
  ['cat', '--encrypted', 'diary:a.txt'],
  ['cat', '--unencrypted', 'diary:a.txt'],
  ['cat', idOf(7)],
  ['cat', '--unencrypted', idOf(7)],
  ['download', 'diary:', '--to', 'TARGET'],
  ['download', '--unencrypted', idOf(7), '--to', 'TARGET'],
  ['verify', 'diary:'],
  ['verify', idOf(7)],
  ['sync', 'diary:', 'TARGET'],
]

async function type(command: readonly string[], lie: Partial<Answers>) {
  answers = { ...honest, bytes: Buffer.from(FORGED), ...lie }
  await using target = await createTemporaryDirectory('target')
  await writeFile(join(target.path, 'mine.txt'), 'mine')
  const result = await runLine(
    command.map((word) => word.replace('TARGET', target.path)),
    environment,
  )
  return { ...result, files: await readdir(target.path) }
}

describe('a file of a private vault', () => {
  it.each(commands)('is read from an honest service: %s %s', async (...command) => {
    const { bytes, file } = honest
    expect((await type(command, { bytes, file })).code).toBe(0)
  })

  it.each(Object.entries(lies))('is never accepted from a service that returns %s', async (_, lie) => {
    for (const command of commands) {
      const { code, stdout, stderr, files } = await type(command, lie())
      const what = `${command.join(' ')}: ${stderr}`
      expect(code, what).toBe(1)
      expect(stdout, what).not.toContain('forged')
      expect(stdout, what).not.toContain('ok')
      expect(files, what).toEqual(['mine.txt'])
    }
  })

  it('deletes nothing if a lie hides a file', async () => {
    const { code, files } = await type(['sync', 'diary:', 'TARGET', '--delete'], { file: plain(DIARY) })
    expect({ code, files }).toEqual({ code: 1, files: ['mine.txt'] })
  })

  it('is not shown to a language model', async () => {
    const readFile = tools.find(({ name }) => name === 'read_file')
    const tooling = { client: createClient({ baseUrl: base, apiKey: 'tdp_x' }), allowed: null, signal: new AbortController().signal } // biome-ignore format: one record
    for (const [lie, sentence] of [
      [{}, 'is encrypted'],
      [{ file: plain(DIARY) }, 'is not encrypted'],
    ] as const) {
      answers = { ...honest, bytes: Buffer.from(FORGED), ...lie }
      await expect(readFile?.run({ file: 'diary:a.txt' }, tooling)).rejects.toThrow(sentence)
    }
  })
})

it('uploads no plaintext to a vault with a key, whatever the service reports', async () => {
  const vaults = [vaultOf(idOf(4), 'notes', { visibility: 'public', keyId: 'AGkxnfPLm5Q' })]
  const { code, stderr } = await type(['upload', join(home, 'identity'), '--to', 'notes'], { vaults })
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('is private') })
})

it('does not sync plaintext to a vault with encrypted files', async () => {
  const lie = { vaults: [vaultOf(OPEN, 'open', { visibility: 'public' })], file: { ...honest.file, vaultId: OPEN } }
  const { code, stdout, stderr } = await type(['sync', home, 'open:'], lie)
  expect({ code, stdout, stderr }).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is encrypted') }) // biome-ignore format: one claim
})

it('reads an export file only with --unencrypted', async () => {
  const lie = { file: plain(EXPORT) }
  expect(await type(['cat', 'export:a.txt'], lie)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('use --unencrypted') }) // biome-ignore format: one claim
  expect(await type(['cat', '--unencrypted', 'export:a.txt'], lie)).toMatchObject({ code: 0, stdout: FORGED })
  expect(await type(['verify', '--unencrypted', idOf(7), '--json'], lie)).toMatchObject({ code: 0, stdout: expect.stringContaining('"encrypted":false') }) // biome-ignore format: one claim
})

it('reads a file of a public vault', async () => {
  for (const command of [
    ['cat', 'open:a.txt'],
    ['cat', idOf(7)],
  ]) {
    expect(await type(command, { file: plain(OPEN) })).toMatchObject({ code: 0, stdout: FORGED, stderr: '' })
  }
})
