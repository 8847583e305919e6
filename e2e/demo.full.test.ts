import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiClient } from './support/api-client.ts'
import { asFirstUser } from './support/as-first-user.ts'
import { holdProcesses } from './support/hold-processes.ts'
import type { FileRecord } from './support/resources.ts'
import { sharedStack } from './support/shared-stack.ts'
import { networkCopies } from './support/stored-copies.ts'
import { uniqueBytes } from './support/uploads.ts'

const main = fileURLToPath(new URL('../apps/demo/src/main.ts', import.meta.url))
const patience = { timeoutMs: 180_000 }
let scratch: string

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tideport-demo-'))
})

afterAll(() => rm(scratch, { recursive: true, force: true }))

/** The demo on the stack of this data directory, or on its own stack. Disposing stops it. */
function startDemo(dataDir: string, { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [main, '--data', dataDir, ...args], { env: { ...process.env, ...env } })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  return {
    exited,
    printed: () => printed,
    signal: (name: NodeJS.Signals) => child.kill(name),
    async untilPrinted(pattern: RegExp): Promise<string> {
      await waitFor(() => pattern.test(printed), { what: `${pattern} in:\n${printed}`, ...patience })
      return pattern.exec(printed)?.[1] ?? ''
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await exited
    },
  }
}

type Demo = ReturnType<typeof startDemo>

/** The demo on the shared stack, with a unique file. Disposing stops it. */
async function startOnSharedStack(more: Parameters<typeof startDemo>[1] = {}): Promise<Demo> {
  const [dataDir, file] = [dirname(sharedStack().networkDir), join(scratch, crypto.randomUUID())]
  await writeFile(file, uniqueBytes())
  return startDemo(dataDir, { ...more, args: ['--file', file, ...(more.args ?? [])] })
}

/** A PATH with a program that writes opened links to a file. */
async function programThatOpens(): Promise<{ path: string; file: string }> {
  const dir = await mkdtemp(join(scratch, 'opens-'))
  const file = join(dir, 'opened')
  for (const name of ['xdg-open', 'open'])
    await writeFile(join(dir, name), `#!/bin/sh\necho "$1" > "${file}.part" && mv "${file}.part" "${file}"\n`, {
      mode: 0o755,
    })
  return { path: `${dir}:${process.env.PATH}`, file }
}

/** The demo acts as the first user, like a client without credentials in development mode. */
async function readFileOf(blobId: string): Promise<FileRecord> {
  const { gatewayUrls } = sharedStack()
  const { body } = await createApiClient(gatewayUrls[0] as string).get<{ files: FileRecord[] }>('/api/files')
  const file = body.files.find(({ storageNetworkBlobId }) => storageNetworkBlobId === blobId)
  if (!file) throw new Error(`No file has the blob id ${blobId}`)
  return file
}

/** Flips a bit of the file's copy on the storage network, like a decaying disk. */
async function corruptNetworkCopy(blobId: string): Promise<void> {
  const { id } = await readFileOf(blobId)
  const [path, ...others] = await networkCopies(sharedStack(), id)
  expect(others).toEqual([])
  await using copy = await open(join(sharedStack().networkDir, path as string), 'r+')
  const byte = Buffer.alloc(1)
  await copy.read(byte, 0, 1, 0)
  await copy.write(Buffer.of(byte.readUInt8() ^ 1), 0, 1, 0)
}

test.concurrent('the demo takes a file through all states, a lost copy, and a change of networks, exits 0, and leaves nothing behind', {
  timeout: 1_200_000,
}, async () => {
  const dataDir = join(scratch, 'data')
  const env = { HOT_RETENTION_SECONDS: '1', DOWNLOAD_URL_SECONDS: '3' }
  await using demo = startDemo(dataDir, { args: ['--networks', 'disk-a,disk-b', '--files', '8'], env })
  expect(await demo.exited, demo.printed()).toBe(0)
  expect(demo.printed()).toContain('6 events were delivered, each verified and delivered once.')
  expect(demo.printed()).toContain('public: copies: disk-a proved, disk-b proved')
  expect(demo.printed()).toContain('many: disk-a was emptied and removed')
  expect(demo.printed()).toContain('All checks passed.')
  expect(existsSync(dataDir)).toBe(false)
})

const inTurn = { concurrent: false }

// Runs alongside the test above, which has its own stack.
describe.concurrent('on the shared system', () => {
  test(
    'a copy that is corrupted between sync and eviction is repaired before the hot copy is deleted, and --open opens the console',
    inTurn,
    async () => {
      await using _turn = await asFirstUser()
      await using held = await holdProcesses(sharedStack(), 'eviction')
      const opened = await programThatOpens()
      await using demo = await startOnSharedStack({ args: ['--open'], env: { PATH: opened.path } })
      await corruptNetworkCopy(await demo.untilPrinted(/public: synced as (\S+)/))
      await held.release('eviction')
      expect(await demo.exited, demo.printed()).toBe(0)
      expect(demo.printed()).toContain('All checks passed.')
      await waitFor(() => existsSync(opened.file), { what: 'the console to be opened', ...patience })
      const url = (await readFile(opened.file, 'utf8')).trim()
      expect(demo.printed()).toContain(`The file in the console, as the first user: ${url}`)
      const page = await fetch(url)
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      const vault = url.split('/').at(-1)
      expect((await createApiClient(new URL(url).origin).get(`/api/vaults/${vault}`)).body).toMatchObject({
        visibility: 'public',
      })
    },
  )

  test('the demo fails if the copy is corrupted when it is the only one', inTurn, async () => {
    await using _turn = await asFirstUser()
    await using held = await holdProcesses(sharedStack(), 'eviction')
    await using demo = await startOnSharedStack()
    const blobId = await demo.untilPrinted(/public: synced as (\S+)/)
    await demo.untilPrinted(/public: the file reads back unchanged/)
    demo.signal('SIGSTOP') // Otherwise the demo would read the cold file before the test corrupts it.
    await held.release('eviction')
    const isCold = async () => (await readFileOf(blobId)).status === 'cold'
    await waitFor(isCold, { what: 'the file to be cold', ...patience })
    await corruptNetworkCopy(blobId)
    demo.signal('SIGCONT')
    expect(await demo.exited, demo.printed()).toBe(1)
    // Reported by a read, or by the file's state if a check was faster.
    const unreadable =
      /The storage network is temporarily unavailable|The bytes of (this|the) file are lost|\(not_found/
    expect(demo.printed().split('The demo failed: ')[1]).toMatch(unreadable)
  })
})
