import { randomBytes, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import { onDisk, stagingDir } from './disk.ts'
import { volumeFull } from './space.ts'
import { makeStagingDir } from './staging.ts'
import type { Volume } from './volume.ts'

const PROBE_BYTES = 4096

/**
 * Writes a small file, durably, and reads it back: a disk that can do that is not down, whatever it does with one copy.
 * @throws NetworkError
 */
export async function probeDisk(volume: Volume): Promise<void> {
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
  await rm(path) // it stays for whoever has it open, and a process that dies leaves none behind
  await handle.writeFile(written)
  await handle.sync()
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0)
  if (bytesRead !== PROBE_BYTES || !buffer.equals(written)) throw new Error('The probe reads other bytes')
}
