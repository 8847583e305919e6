import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createApiClient } from './support/api-client.ts'
import type { FileRecord } from './support/resources.ts'
import { type StackFile, startTestStack } from './support/start-test-stack.ts'
import { networkCopies } from './support/stored-copies.ts'

const main = fileURLToPath(new URL('../apps/demo/src/main.ts', import.meta.url))
const patience = { timeoutMs: 180_000, everyMs: 50 }

/** The demo on a stack of its own. Disposing it ends it and removes what it left. */
async function startOwnDemo(env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-demo-'))
  const demo = startDemo(dataDir, env)
  return {
    ...demo,
    async [Symbol.asyncDispose]() {
      await demo[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The demo on the stack that runs on this data, or on one of its own. Disposing ends it. */
function startDemo(dataDir: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, '--data', dataDir], { env: { ...process.env, ...env } })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  return {
    dataDir,
    exited,
    printed: () => printed,
    signal: (name: NodeJS.Signals) => child.kill(name),
    async untilPrinted(pattern: RegExp): Promise<string> {
      await waitFor(() => pattern.test(printed), { what: `${pattern} in:\n${printed}`, ...patience })
      return pattern.exec(printed)?.[1] ?? ''
    },
    /** What its `stack.json` says. */
    stack: async (): Promise<StackFile> => JSON.parse(await readFile(join(dataDir, 'stack.json'), 'utf8')),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await exited
    },
  }
}

type Demo = ReturnType<typeof startDemo>

/** The demo acts as the first user, as does a client without credentials in development mode. */
async function readFileOf(demo: Demo, blobId: string): Promise<FileRecord> {
  const { gatewayUrls } = await demo.stack()
  const { body } = await createApiClient(gatewayUrls[0] as string).get<{ files: FileRecord[] }>('/api/files')
  const file = body.files.find(({ storageNetworkBlobId }) => storageNetworkBlobId === blobId)
  if (!file) throw new Error(`No file has the blob id ${blobId}`)
  return file
}

/** Flips a bit of what the storage network keeps for the file, as a disk does that rots. */
async function corruptNetworkCopy(demo: Demo, fileId: string): Promise<void> {
  const stack = await demo.stack()
  const [path, ...others] = await networkCopies(stack, fileId)
  expect(others).toEqual([])
  await using copy = await open(join(stack.networkDir, path as string), 'r+')
  const byte = Buffer.alloc(1)
  await copy.read(byte, 0, 1, 0)
  await copy.write(Buffer.of(byte.readUInt8() ^ 1), 0, 1, 0)
}

test.concurrent('the demo takes a file through its whole life, exits 0 and leaves nothing behind', async () => {
  await using demo = await startOwnDemo()
  expect(await demo.exited, demo.printed()).toBe(0)
  expect(demo.printed()).toContain('6 events were delivered, each verified, each once.')
  expect(demo.printed()).toContain('All of it held.')
  expect(existsSync(demo.dataDir)).toBe(false)
})

test.concurrent('the demo fails when the network’s copy is corrupted between sync and eviction', async () => {
  await using demo = await startOwnDemo({ HOT_RETENTION_SECONDS: '6' })
  const blobId = await demo.untilPrinted(/public: synced as (\S+)/)
  await corruptNetworkCopy(demo, (await readFileOf(demo, blobId)).id)
  expect(await demo.exited, demo.printed()).toBe(1)
  expect(demo.printed()).toContain('The demo failed: The file ended in error (proof_failed)')
})

test.concurrent('the demo fails when the network’s copy is corrupted once it is the only one', async () => {
  await using stack = await startTestStack({ env: { HOT_RETENTION_SECONDS: '3' } })
  await using demo = startDemo(stack.dataDir)
  const blobId = await demo.untilPrinted(/public: synced as (\S+)/)
  await demo.untilPrinted(/public: the hot copy stays/)
  demo.signal('SIGSTOP') // or it would read the cold file before we come to it
  const isCold = async () => (await readFileOf(demo, blobId)).status === 'cold'
  await waitFor(isCold, { what: 'the file to be cold', ...patience })
  await corruptNetworkCopy(demo, (await readFileOf(demo, blobId)).id)
  demo.signal('SIGCONT')
  expect(await demo.exited, demo.printed()).toBe(1)
  expect(demo.printed()).toMatch(/public: cold.*The demo failed: A read answered 404/s)
})
