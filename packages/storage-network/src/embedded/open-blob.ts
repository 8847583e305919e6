import { readdir } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { blobDir, ifExists, isReference, noSuchCopy } from './disk.ts'
import { openEntry } from './entry.ts'
import { VerifiedStream } from './verified-stream.ts'
import type { Volume } from './volume.ts'

/** Opens one copy. @throws NetworkError `not_found`, `integrity`, `unreachable` */
export async function openCopy(
  volume: Volume,
  blobId: string,
  reference: string,
  range: ByteRange | undefined,
): Promise<VerifiedStream> {
  const entry = await openEntry(volume.dir, blobId, reference)
  if (entry === null) return await failAbsent(volume)
  return await VerifiedStream.open(entry, range)
}

/** Opens the first copy whose tree and first leaf verify; the error of the last one tried when none does. */
export async function openAnyCopy(
  volume: Volume,
  blobId: string,
  range: ByteRange | undefined,
): Promise<VerifiedStream> {
  let failure: unknown
  for (const reference of (await ifExists(readdir(blobDir(volume.dir, blobId)))) ?? []) {
    if (!isReference(reference)) continue
    try {
      return await openCopy(volume, blobId, reference, range)
    } catch (error) {
      // A copy removed a moment ago says less than one that is damaged.
      if (!(error instanceof NetworkError && error.code === 'not_found')) failure = error
    }
  }
  if (failure !== undefined) throw failure
  return await failAbsent(volume)
}

async function failAbsent(volume: Volume): Promise<never> {
  await volume.check()
  throw noSuchCopy()
}
