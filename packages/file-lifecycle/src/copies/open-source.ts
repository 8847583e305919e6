import type { Readable } from 'node:stream'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import type { FileRow } from '../state/tables.ts'
import { cutWhenIdle } from './cut-when-idle.ts'

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
  if (hot) return cutWhenIdle(hot, 'hot tier')
  if (file.blobId === null) return null
  try {
    return await network.open(file.blobId, { fileId: file.id, signal })
  } catch (error) {
    if (error instanceof NetworkError && (error.code === 'not_found' || error.code === 'integrity')) return null
    throw error
  }
}
