import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createIdentity, createVaultKey, sealVaultKey } from '@tideport/sdk/crypto'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Context } from '../../src/grammar/context.ts'
import { openAgeFile } from '../../src/private/open-vault.ts'
import { readSecret } from '../../src/terminal/ask.ts'
import { runLine } from '../run-line.ts'

let url: string
let home: string

beforeAll(async () => {
  const server = createServer(({ headers }, response) => {
    const isRight = headers.authorization === 'Bearer tdp_right'
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
    const refusal = { error: 'The key is not known', code: 'unauthenticated' }
    response.end(JSON.stringify(isRight ? { apiKeys: [], nextCursor: null } : refusal))
  })
  url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const directory = await createTemporaryDirectory('credentials')
  home = directory.path
  return async () => {
    await closeAtOnce(server)
    await directory[Symbol.asyncDispose]()
  }
})

describe('a credential from the environment', () => {
  it.each(['\n', '\r\n', '\r', ' ', '\ufeff'])(
    'is accepted with %j around it, like the URL and the profile',
    async (blank) => {
      const around = (text: string) => blank + text + blank
      const environment = { HOME: home, TIDEPORT_API_KEY: around('tdp_right'), TIDEPORT_URL: around(url), TIDEPORT_PROFILE: around('a') } // biome-ignore format: one record
      const { code, stderr } = await runLine(['keys'], environment)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect((await runLine(['keys', '--url', around(url)], { ...environment, TIDEPORT_URL: '' })).code).toBe(0)
    },
  )

  it('counts as unset if it is blank', async () => {
    expect((await runLine(['keys'], { HOME: home, TIDEPORT_URL: url, TIDEPORT_API_KEY: '\n' })).code).toBe(4)
  })
})

it('keeps blanks of a passphrase, and removes line breaks after it', async () => {
  const of = (text: string, isPhrase: boolean) => {
    const context = { stdin: Readable.from([Buffer.from(text)]), signal: new AbortController().signal }
    return readSecret(context as never as Context, 'Passphrase', true, '', isPhrase)
  }
  for (const end of ['', '\n', '\r\n', '\r', '\n\n']) {
    expect(await of(`\ufeff  two  words  ${end}`, true)).toBe('  two  words  ')
    expect(await of(`\ufeff tdp_key ${end}`, false)).toBe('tdp_key')
  }
})

it('reads an identity file line by line, and reports skipped lines', async () => {
  const [old, current] = [await createIdentity(), await createIdentity()]
  const key = createVaultKey()
  const sealed = await sealVaultKey(key, { recipients: [current.recipient] })
  const path = join(home, 'identities.txt')
  const told: string[] = []
  const context = { environment: {}, output: { remark: (text: string) => told.push(text) } } as never as Context
  await writeFile(path, `# old\n${old.identity}\nAGE-PLUGIN-X-1QQQ\n# new\n${current.identity}\n`)
  await expect(openAgeFile(context, sealed, 'diary', { identity: path })).resolves.toEqual(key)
  expect(told).toEqual([`${path}: Line 3 skipped: plugin identities are not supported`])
  await writeFile(path, '# empty\n')
  await expect(openAgeFile(context, sealed, 'diary', { identity: path })).rejects.toThrow(
    `${path}: The text contains no age identity`,
  )
})
