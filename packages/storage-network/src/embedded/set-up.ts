import { access, mkdir, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isBlobId } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { CopyName } from '../storage-network.ts'
import { entryPath, errno, ifExists, onDisk, syncDirectory } from './disk.ts'
import { writeMarker } from './marker.ts'
import { makeStagingDir } from './staging.ts'
import { openVolume } from './volume.ts'

interface SetUp extends NetworkIdentity {
  dir: string
  remembered: CopyName[]
  acceptLostCopies: boolean
}

/**
 * Marks a directory as the network's, and creates it if needed. Accepts an unmarked one if it holds remembered copies,
 * or if it has none and none are remembered. @throws Error with a sentence for the operator, NetworkError (`foreign`,
 * `unreadable`)
 */
export async function setUpEmbeddedNetwork({ dir, remembered, acceptLostCopies, ...identity }: SetUp) {
  const volume = openVolume(dir, identity)
  if (await isMarked(volume.check())) {
    await makeStagingDir(volume)
    return 'was_set_up' as const
  }
  const holdsOurs = await holdsAny(dir, remembered)
  if (remembered.length > 0 && !holdsOurs && !acceptLostCopies) {
    throw new Error(
      `The database remembers copies on the network ${identity.name}, and ${dir} holds none of those that were looked for. Is the volume mounted? If the copies are lost, say --accept-lost-copies.`,
    )
  }
  if (remembered.length === 0 && (await hasBlobs(dir))) {
    throw new Error(
      `${dir} holds copies, and the database remembers none on the network ${identity.name}: it is another network's or another installation's, or the database is.`,
    )
  }
  await makeDirectory(dir)
  await onDisk(writeMarker(dir, { installation: await identity.installationId(), network: identity.name }))
  await makeStagingDir(volume)
  return 'set_up' as const
}

async function isMarked(check: Promise<void>): Promise<boolean> {
  try {
    await check
    return true
  } catch (error) {
    if (error instanceof NetworkError && error.fault === 'missing') return false
    throw error
  }
}

async function holdsAny(dir: string, copies: CopyName[]): Promise<boolean> {
  for (const { blobId, reference } of copies) {
    if (await ifExists(access(entryPath(dir, blobId, reference)).then(() => true))) return true
  }
  return false
}

async function hasBlobs(dir: string): Promise<boolean> {
  return ((await ifExists(readdir(dir))) ?? []).some(isBlobId)
}

/** Nobody else makes it: what is not there may be a volume that is not mounted. */
async function makeDirectory(dir: string): Promise<void> {
  await onDisk(mkdir(dir, { recursive: true, mode: 0o700 }))
  await syncDirectory(dirname(dir)).catch((cause: unknown) => {
    // Whoever may write to the directory may not always read the one above.
    if (errno(cause) !== 'EACCES') throw cause
  })
}
