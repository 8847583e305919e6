import { Readable } from 'node:stream'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { readFiles } from './file-lists.ts'
import { type ListedFile, type OpenBackup, objectName } from './manifest.ts'
import { DamagedError } from './sealed.ts'

const TELL_EVERY_MS = 10_000

export interface Destinations {
  hotTier: HotTier
  networks: Pick<Networks, 'get'>
}

/** Stores the bytes of all files where their rows expect them, except where they already are. */
export async function restoreBytes(
  backup: OpenBackup,
  destinations: Destinations,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  let files = 0
  let toldAt = performance.now()
  for await (const batch of readFiles(backup, signal)) {
    await inParallel(batch, async (file) => {
      signal.throwIfAborted()
      if (file.hotKey !== null) await restoreObject(backup, destinations, { ...file, hotKey: file.hotKey }, signal)
      for (const copy of file.copies) {
        const network = destinations.networks.get(copy.network) as StorageNetwork
        await restoreCopy(backup, network, { file, copy }, signal)
      }
    })
    files += batch.length
    if (performance.now() - toldAt < TELL_EVERY_MS) continue
    toldAt = performance.now()
    log.info({ files, of: backup.manifest.files }, 'restored so far')
  }
  if (files !== backup.manifest.files)
    throw new DamagedError(`The list of files has ${files} files instead of ${backup.manifest.files}`)
}

async function restoreObject(
  { read }: OpenBackup,
  { hotTier }: Destinations,
  { id, hotKey, sizeBytes, mimeType, partBytes }: ListedFile & { hotKey: string },
  signal: AbortSignal,
): Promise<void> {
  if ((await hotTier.head(hotKey, { sizeBytes, signal })) === sizeBytes) return
  const body = read(objectName(id), signal)
  await hotTier.store(hotKey, { mimeType, body, ...(partBytes !== null && { partBytes }) }, signal)
  if ((await hotTier.head(hotKey, { sizeBytes, signal })) !== sizeBytes)
    throw new Error(`The store did not keep the object ${hotKey}`)
}

async function restoreCopy(
  { read }: OpenBackup,
  network: StorageNetwork,
  { file: { id, sizeBytes }, copy }: { file: ListedFile; copy: ListedFile['copies'][number] },
  signal: AbortSignal,
): Promise<void> {
  const found = await network.stat(copy, signal)
  if (found.state === 'present' && found.sizeBytes === sizeBytes) return
  const { reference } = copy
  const body = Readable.from(read(objectName(id), signal))
  await using staged = await network.stage(body, { reference, sizeBytes, signal })
  if (staged.blobId !== copy.blobId)
    throw new DamagedError(`The bytes of the file ${id} do not match its copy on ${network.name}`)
  await staged.commit()
}
