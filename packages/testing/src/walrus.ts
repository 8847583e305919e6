import { join } from 'node:path'
import { type DevnetOptions, startDevnet } from '@tideport/walrus-devnet/start-devnet'
import { createTemporaryDirectory } from './temporary-directory.ts'

export type { FaultName, FaultOptions } from '@tideport/walrus-devnet/faults'

/** Few shards, so that IDs of small blobs are computed quickly. The largest blob is then 59 MB. */
export const DEVNET_SHARDS = 60

export async function startWalrus(options: Partial<Omit<DevnetOptions, 'dataDir'>> = {}) {
  const directory = await createTemporaryDirectory('walrus')
  const dataDir = join(directory.path, 'data')
  const start = (port?: number) =>
    startDevnet({ shards: DEVNET_SHARDS, maxBodyBytes: 59_000_000, ...options, dataDir, ...(port && { port }) })
  let devnet = await start()
  const { url, port } = devnet
  return {
    ...{ url, dataDir },
    current: () => devnet,
    async stop() {
      await devnet[Symbol.asyncDispose]()
    },
    async start() {
      devnet = await start(port)
    },
    async [Symbol.asyncDispose]() {
      await devnet[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

export type TestWalrus = Awaited<ReturnType<typeof startWalrus>>
