import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import { isNowhere, syncDirectory } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'

/**
 * Identifies the owner of a directory, so an empty mount point or a wrong volume is never mistaken for an empty
 * network.
 */
export interface Marker {
  installation: string
  network: string
}

export const markerPath = (dir: string): string => join(dir, 'tideport-network.json')

/** Null: the marker or the directory does not exist. @throws NetworkError `unreachable` (`unreadable`) */
export async function readMarker(dir: string, reads: Lane): Promise<Marker | null> {
  try {
    const { installation, network } = JSON.parse(await reads.run(() => readFile(markerPath(dir), 'utf8')))
    if (typeof installation !== 'string' || typeof network !== 'string') throw new Error('The file is not a marker')
    return { installation, network }
  } catch (cause) {
    if (isNowhere(cause)) return null
    throw markerUnreadable(dir, cause)
  }
}

export async function writeMarker(dir: string, { installation, network }: Marker): Promise<void> {
  const draft = `${markerPath(dir)}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify({ installation, network })}\n`, { flush: true })
    await rename(draft, markerPath(dir))
    await syncDirectory(dir)
  } finally {
    await rm(draft, { force: true })
  }
}

export function markerUnreadable(dir: string, cause: unknown): NetworkError {
  if (cause instanceof NetworkError && cause.fault === 'hanging') return cause
  return new NetworkError('unreachable', `the marker of the network's volume ${dir} cannot be read`, {
    cause,
    fault: 'unreadable',
  })
}
