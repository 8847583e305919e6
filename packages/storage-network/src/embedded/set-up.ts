import { access, mkdir, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { acceptPlace, type SetUp } from '../accept-place.ts'
import { isBlobId } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import { entryPath, errno, ifExists, onDisk, syncDirectory } from './disk.ts'
import { writeMarker } from './marker.ts'
import { makeStagingDir } from './staging.ts'
import { openVolume } from './volume.ts'

/** Marks a directory as the network's. @throws Error for the operator, NetworkError (`foreign`, `unreadable`) */
export async function setUpEmbeddedNetwork({
  dir,
  remembered,
  acceptLostCopies,
  ...identity
}: SetUp & { dir: string }) {
  const volume = openVolume(dir, identity)
  if (await isMarked(volume.check())) {
    await makeStagingDir(volume)
    return 'was_set_up' as const
  }
  await acceptPlace(
    { name: identity.name, remembered, acceptLostCopies },
    {
      place: dir,
      question: 'Is the volume mounted?',
      holds: async ({ blobId, reference }) =>
        (await ifExists(access(entryPath(dir, blobId, reference)).then(() => true))) === true,
      holdsAny: async () => ((await ifExists(readdir(dir))) ?? []).some(isBlobId),
    },
  )
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

/** Only the set-up creates it: a missing directory may be a volume that is not mounted. */
async function makeDirectory(dir: string): Promise<void> {
  await onDisk(mkdir(dir, { recursive: true, mode: 0o700 }))
  await syncDirectory(dirname(dir)).catch((cause: unknown) => {
    // A user that may write to the directory may not always read its parent.
    if (errno(cause) !== 'EACCES') throw cause
  })
}
