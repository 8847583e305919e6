import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, createClient, createVault, download, type FileRecord, listFiles } from '@tideport/sdk'
import { downloadPrivate } from '@tideport/sdk/crypto'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { withSeed } from '@tideport/testing/with-seed'
import { expect, test } from 'vitest'
import { createKey } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const MIB = 1024 ** 2
const program = join(import.meta.dirname, 'support/sdk/upload-journal.ts')
const read = async ({ body }: { body: ReadableStream }) => Buffer.from(await new Response(body).arrayBuffer())

/** Ignores an upload whose program was killed before it stored the token; the service deletes it within a day. */
async function filesOf(client: Client, vaultId: string): Promise<FileRecord[]> {
  const files: FileRecord[] = []
  for await (const file of listFiles(client, { vaultId })) if (file.status !== 'uploading') files.push(file)
  return files
}

test.concurrent('a program that is killed repeatedly, at any point, uploads each file exactly once and unchanged', () =>
  withSeed(async (random) => {
    await using folder = await createTemporaryDirectory('killed')
    const at = (name: string) => join(folder.path, name)
    const { key: apiKey } = await createKey(freshAccount())
    const baseUrl = sharedStack().gatewayUrls[0] as string
    const client = createClient({ baseUrl, apiKey })
    const shown = await createVault(client, { name: 'Shown', visibility: 'public' })
    const secret = await createVault(client, { name: 'Secret', visibility: 'private' })
    const files = { a: randomBytes(50_000), b: randomBytes(11 * MIB), c: randomBytes(26 * MIB) }
    for (const [name, bytes] of Object.entries(files)) await writeFile(at(name), bytes)

    const args = [program, baseUrl, apiKey, folder.path, shown.id, secret.id]
    let kills = 0
    for (let patienceMs = 200; ; patienceMs *= 1.25) {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
      let complaint = ''
      child.stderr.on('data', (text) => {
        complaint += text
      })
      const ended = once(child, 'close')
      await Promise.race([ended, delay(patienceMs * (0.3 + 0.7 * random()))])
      if (child.exitCode !== null) {
        expect(child.exitCode, complaint).toBe(0)
        break
      }
      child.kill('SIGKILL')
      kills++
      await ended
    }
    expect(kills).toBeGreaterThan(2)

    const found = await filesOf(client, shown.id)
    expect(found.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c'])
    for (const file of found) {
      expect((await read(await download(client, file))).equals(files[file.name as 'a' | 'b' | 'c'])).toBe(true)
    }
    const secrets = await filesOf(client, secret.id)
    expect(secrets.map(({ name }) => name)).toEqual(['c'])
    const vaultKey = new Uint8Array(Buffer.from(await readFile(at('key'), 'utf8'), 'hex'))
    const opened = await downloadPrivate(client, secrets[0] as FileRecord, { vaultKey })
    expect((await read(opened)).equals(files.c)).toBe(true)
  }))
