import { NetworkError } from '../errors.ts'
import type { StorageNetwork } from '../storage-network.ts'
import { diskFailing } from './disk.ts'
import { diskHangs } from './lane.ts'
import { orAborted } from './or-aborted.ts'
import { probeDisk } from './probe-disk.ts'
import { shareRuns } from './share-runs.ts'
import { assertRoom } from './space.ts'
import type { Volume } from './volume.ts'

/** Tries the disk by a small file; one trial at a time, so that a disk that hangs holds up no more than that. */
export function createHealth(volume: Volume, reserveBytes: number): StorageNetwork['health'] {
  const tryAnew = shareRuns(() => tryDisk(volume, reserveBytes))
  return async (signal, { toStore } = { toStore: true }) => {
    const full = await orAborted(tryAnew(), signal).catch((cause: unknown) => {
      throw cause instanceof DOMException && cause.name === 'TimeoutError' ? diskHangs(cause) : cause
    })
    // A full disk still reads, and gives room back.
    if (full && toStore) throw full
  }
}

/** Returns the error of a disk that has no room but works otherwise. */
async function tryDisk(volume: Volume, reserveBytes: number): Promise<NetworkError | null> {
  try {
    await assertRoom(volume, reserveBytes, 0)
    await probeDisk(volume)
    return null
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    if (error.fault === 'full') return error
    if (error.code === 'unreachable') throw error
    throw error.fault === 'hanging' ? diskHangs(error) : diskFailing('probe', error)
  }
}
