import type { Readable } from 'node:stream'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier'
import type { FileRow } from '@tideport/file-lifecycle/tables'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'

const IDLE_MS = 30_000

/**
 * The bytes to copy: the hot object or, when that is missing, the copy that an interrupted attempt may have left on the
 * network (read verified). Null when there are none. Throws what the hot tier throws while it is down.
 */
export async function openSource(
  { hotTier, network }: { hotTier: HotTier; network: StorageNetwork },
  file: FileRow,
  signal: AbortSignal,
): Promise<Readable | null> {
  const hot = file.hotKey === null ? null : await hotTier.open(file.hotKey, undefined, signal)
  if (hot) return cutWhenIdle(hot)
  if (file.blobId === null) return null
  try {
    return await network.open(file.blobId, { fileId: file.id, signal })
  } catch (error) {
    if (error instanceof NetworkError && (error.code === 'not_found' || error.code === 'integrity')) return null
    throw error
  }
}

/** The claim is renewed for as long as the copy lasts, so a store that stops sending must not make it last for ever. */
function cutWhenIdle(body: Readable): Readable {
  const timer = setTimeout(() => body.destroy(new Error('The hot tier stopped sending')), IDLE_MS)
  // Not 'data', which would start the flow before anybody reads.
  body.on('readable', () => timer.refresh())
  body.on('close', () => clearTimeout(timer))
  return body
}
