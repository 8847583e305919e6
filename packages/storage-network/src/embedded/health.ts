import { randomBytes, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import type { StorageNetwork } from '../storage-network.ts'
import { diskFailing, onDisk, stagingDir } from './disk.ts'
import { diskHangs } from './disk-call-limiter.ts'
import { orAborted } from './or-aborted.ts'
import { shareRuns } from './share-runs.ts'
import { assertRoom, volumeFull } from './space.ts'
import { makeStagingDir } from './staging.ts'
import type { Volume } from './volume.ts'

/** Tests the disk with a small file. Tests run one at a time, so an unresponsive disk blocks no more than one. */
export function createHealth(volume: Volume, reserveBytes: number): StorageNetwork['health'] {
  const tryAnew = shareRuns(() => tryDisk(volume, reserveBytes))
  return async (signal, { toStore } = { toStore: true }) => {
    const full = await orAborted(tryAnew(), signal).catch((cause: unknown) => {
      throw cause instanceof DOMException && cause.name === 'TimeoutError' ? diskHangs(cause) : cause
    })
    // A full disk still serves reads and frees space.
    if (full && toStore) throw full
  }
}

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

const PROBE_BYTES = 4096

/** Writes a small file durably and reads it back. @throws NetworkError */
async function probeDisk(volume: Volume): Promise<void> {
  const path = join(stagingDir(volume.dir), `probe.${randomUUID()}`)
  try {
    await makeStagingDir(volume)
    await onDisk(volume.writes.run(() => writeAndRead(path)))
  } catch (error) {
    throw error instanceof NetworkError && error.code === 'no_space' ? volumeFull(error) : error
  }
}

async function writeAndRead(path: string): Promise<void> {
  const written = randomBytes(PROBE_BYTES)
  await using handle = await open(path, 'wx+')
  await rm(path) // The open handle keeps the file, and a crashed process leaves no file behind.
  await handle.writeFile(written)
  await handle.sync()
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0)
  if (bytesRead !== PROBE_BYTES || !buffer.equals(written))
    throw new Error('The probe read different bytes than it wrote')
}
