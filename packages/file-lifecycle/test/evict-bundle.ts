import { join } from 'node:path'
import { checkCopies } from '../src/copies/check-copies.ts'
import { proveCopy } from '../src/copies/prove-copy.ts'
import { createEvictionRate, evictFile } from '../src/evict/evict-file.ts'
import type { FileRow } from '../src/state/tables.ts'
import { log, must, never } from './bundle.ts'
import { setupWorker } from './worker-bundle.ts'

/** A worker's bundle with synced and proved files that are due for eviction. */
export async function setupEviction(options: Parameters<typeof setupWorker>[0] = {}) {
  const t = await setupWorker(options)
  const deps = { ...t.proveDeps, hotTier: t.hotTier, evictionRetryBaseSeconds: 100 }
  const limits = { downloadUrlSeconds: 600, clockSkewSeconds: 60 }
  const evictWith = ({ perMinute = 600, evictionDryRun = false } = {}) =>
    t.fileWorker(evictFile({ ...deps, ...limits, evictionDryRun, rate: createEvictionRate(t.db, perMinute) }))
  const evict = evictWith()
  const checkDeps = { ...deps, circuit: t.circuit, log, copyCheckBytesPerSecond: 1024 ** 3 }

  async function evictableFile(body = 'hello'): Promise<FileRow & { hotKey: string }> {
    const file = await t.provedFile(body)
    return { ...file, hotKey: must(file.hotKey) }
  }
  return Object.assign(t, {
    evict,
    evictWith,
    prove: (file: Pick<FileRow, 'id'>, name = t.network.name) =>
      t.copyWorker(proveCopy(deps, t.networkOf(name)), name)(file),
    /** One run of the periodic task. */
    check: (name = t.network.name) => checkCopies(checkDeps, t.networkOf(name), never),
    /** A file with a proved copy, without retention. */
    evictableFile,
    /** An evicting file whose last presigned URL has expired. */
    async evictingFile(body?: string): Promise<FileRow & { hotKey: string }> {
      const file = await evictableFile(body)
      await evict(file)
      if ((await t.read(file.id)).evictingAt === null) throw new Error('The file is not evicting')
      await t.makeDueForEviction(file)
      return file
    },
    /** The path of the file's copy in the network's directory. */
    async entryOf(file: Pick<FileRow, 'id'>): Promise<string> {
      const { blobId, reference } = await t.copy(file)
      return join(must(blobId), reference)
    },
  })
}

export type EvictionBundle = Awaited<ReturnType<typeof setupEviction>>
