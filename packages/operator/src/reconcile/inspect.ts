import { isOnNetwork } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { NetworkError } from '@tideport/storage-network/errors'
import type { Reference } from '@tideport/storage-network/storage-network'
import type { Installation } from '../open-installation.ts'

/**
 * How a row differs from what the tiers hold:
 * - `stored`: it says uploading, and the object is there: it was confirmed
 * - `copied`: it says uploading or hot, the object is gone, and the network holds a copy that the row does not name
 * - `evicted`: it says synced, the copy is there and the object gone
 * - `dropped`: it says that bytes were brought back, and they are gone again
 * - `uncopied`: it says synced or cold, the copy is not there and the object is
 * - `lost`: neither is there
 */
export type Difference = 'stored' | 'copied' | 'evicted' | 'dropped' | 'uncopied' | 'lost'

/**
 * `unnamed`: the object is gone, and only a look through the whole network can tell whether there is a copy. `unreadable`:
 * the network failed at this copy, which says nothing either way.
 */
export type Inspection = Difference | 'accords' | 'unnamed' | 'unreadable'

type Tiers = Pick<Installation, 'hotTier' | 'network'>

/** Compares a row with both tiers. Of an upload that nobody confirmed, neither need have anything. */
export async function inspect(tiers: Tiers, file: FileRow, signal: AbortSignal): Promise<Inspection> {
  return await compare(tiers, file, signal).catch((error: unknown) => {
    if (error instanceof NetworkError && error.code === 'copy_failed') return 'unreadable'
    throw error
  })
}

async function compare(tiers: Tiers, file: FileRow, signal: AbortSignal): Promise<Inspection> {
  if (file.status === 'uploading') return await inspectUpload(tiers, file, signal)
  // Bytes of a wrong size are sync's to judge.
  const hasObject = file.hotKey !== null && (await tiers.hotTier.head(file.hotKey, signal)) !== null
  if (file.status === 'hot') {
    if (hasObject) return 'accords'
    if (file.blobId === null) return 'unnamed'
    // Sync goes on from a copy that the row names.
    return (await isCopied(tiers, file, signal)) ? 'accords' : 'lost'
  }
  if (file.status === 'error') return 'accords'
  const hasCopy = await isCopied(tiers, file, signal)
  if (!hasCopy) return hasObject ? 'uncopied' : 'lost'
  if (hasObject || file.hotKey === null) return 'accords'
  if (file.status === 'cold') return 'dropped'
  // An eviction that was interrupted after its deletion goes on by itself.
  return file.evictingAt === null ? 'evicted' : 'accords'
}

/** The same once it is known which copy the network holds for the file, if any. */
export function inspectUnnamed(file: FileRow, copy: Reference | undefined): Difference | 'accords' {
  if (copy?.sizeBytes === file.sizeBytes) return 'copied'
  return file.status === 'uploading' ? 'accords' : 'lost'
}

/** Only a confirm makes an object of an upload, and takes the upload away; later its eviction may have taken the object. */
async function inspectUpload({ hotTier }: Tiers, file: FileRow, signal: AbortSignal): Promise<Inspection> {
  if ((await hotTier.head(file.uploadKey, signal)) === file.sizeBytes) return 'stored'
  const isOpen = file.uploadId === null || (await hotTier.listParts(file.uploadKey, file.uploadId)) !== null
  return isOpen ? 'accords' : 'unnamed'
}

/** A look at names and sizes; `operator verify` reads the bytes. */
async function isCopied({ network }: Tiers, file: FileRow, signal: AbortSignal): Promise<boolean> {
  if (file.network !== null && file.network !== network.id) throw new Error(`file ${file.id} is on ${file.network}, which is not the configured network`) // biome-ignore format: one chain
  const copy = await network.stat(file.blobId ?? '', file.id, signal)
  return copy.state === 'present' && copy.sizeBytes === file.sizeBytes && (file.status === 'hot' || isOnNetwork(file))
}
