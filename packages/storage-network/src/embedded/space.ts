import { statfs } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import type { NetworkSpace } from '../storage-network.ts'
import { onDisk } from './disk.ts'
import type { Volume } from './volume.ts'

/** Largest share of a volume that is reserved. */
const RESERVE_SHARE_MAX = 0.05

export async function spaceOf(volume: Volume, reserveBytes: number): Promise<NetworkSpace> {
  await volume.check()
  const { bavail, blocks, bsize } = await onDisk(volume.reads.run(() => statfs(volume.dir)))
  const totalBytes = blocks * bsize
  return { freeBytes: bavail * bsize, totalBytes, reserveBytes: Math.min(reserveBytes, totalBytes * RESERVE_SHARE_MAX) }
}

/**
 * Checks the volume first.
 * @throws NetworkError `unreachable` (`full`) if no space is left, `no_space` if there is not enough for the bytes
 */
export async function assertRoom(volume: Volume, reserveBytes: number, sizeBytes: number): Promise<void> {
  const space = await spaceOf(volume, reserveBytes)
  if (space.freeBytes <= space.reserveBytes) throw volumeFull()
  if (space.freeBytes - space.reserveBytes < sizeBytes) {
    throw new NetworkError('no_space', 'the embedded network has no space for the bytes')
  }
}

export function volumeFull(cause?: unknown): NetworkError {
  return new NetworkError('unreachable', "the embedded network's disk is full", { cause, fault: 'full' })
}
