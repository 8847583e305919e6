import { objectUploadsApi } from '@tideport/contracts/internal/object-uploads'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { isInHotTier, openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { checkKinds, findSource } from '../copy-object.ts'
import { verifiedBytes } from '../verified-bytes.ts'
import { closedError, getOpenUpload } from './find-upload.ts'
import { type ReceivePartDeps, receivePart, type Sending, type SentPart, sendVerified } from './receive-part.ts'
import { DEFAULT_DIGEST, digestOf } from './upload-digest.ts'

interface Deps extends ReceivePartDeps {
  networks: Networks
}

/** Copies in the store take long, and the store is the only one to end parts meanwhile. */
const COPY_BYTES_MAX = 256 * 1024 ** 2
const MD5 = /^"?([0-9a-f]{32})"?$/

/** Copies inside the store where that also yields the digests, and sends the bytes through this process otherwise. */
export function copyObjectPartRoute(deps: Deps) {
  const hasMd5Tags = rememberTags(deps)
  return serve(objectUploadsApi.copyObjectPart, async (input) => {
    const { principal, params, body, signal } = input
    const { upload, vault } = await getOpenUpload(deps.db, input)
    const { found, home } = await findSource(deps, principal, body.source)
    const { file: source } = found
    checkKinds(source, home, vault)
    const range = rangeIn(source, body.range)
    const sizeBytes = range.end - range.start + 1
    const wanted = { principal, upload, partNumber: params.partNumber, sizeBytes, signal }
    return await receivePart(deps, wanted, async (sending) => {
      const isCopy = sizeBytes > 0 && sizeBytes <= COPY_BYTES_MAX && upload.uploadDigest === null
      const isHot = isInHotTier(source) && source.evictingAt === null
      const copied =
        isCopy && isHot && (await hasMd5Tags(signal))
          ? await copyInStore(deps, { upload, source, range }, sending)
          : null
      return copied ?? (await sendBytes(deps, { upload, found, range, sizeBytes }, sending))
    })
  })
}

type Range = { start: number; end: number }

/** Inclusive; the end of no bytes is before their start. */
function rangeIn({ sizeBytes }: FileRow, range: Range | null): Range {
  if (range === null) return { start: 0, end: sizeBytes - 1 }
  if (range.start <= range.end && range.end < sizeBytes) return range
  throw new AppError('range_not_satisfiable', `Range specified is not valid for source object of size: ${sizeBytes}`)
}

/** Whether the store's ETags are MD5s, so that a copy needs no second pass. Asks again after a failure. */
function rememberTags({ hotTier }: Deps): (signal: AbortSignal) => Promise<boolean> {
  let known: Promise<boolean> | undefined
  return (signal) => {
    known ??= hotTier.hasMd5ETags('whole', signal).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

/** Null: the object has just left the store, or the store did not return an MD5. */
async function copyInStore(
  { db, hotTier }: Deps,
  { upload, source, range }: { upload: FileRow; source: FileRow; range: Range },
  { commit, place, signal }: Sending,
): Promise<SentPart | null> {
  if (!(await commit.begin(signal))) throw await closedError(db, upload)
  const storeEtag = await hotTier.copyPart(place, { from: source.hotKey ?? '', range }, signal)
  const md5 = MD5.exec(storeEtag ?? '')?.[1]
  return storeEtag !== null && md5 !== undefined ? { storeEtag, md5, digests: {} } : null
}

async function sendBytes(
  deps: Deps,
  { upload, found, range, sizeBytes }: { upload: FileRow; found: FileCopies; range: Range; sizeBytes: number },
  sending: Sending,
): Promise<SentPart> {
  const { bytes } = await openBytes(deps, found, sizeBytes === found.file.sizeBytes ? undefined : range, sending.signal)
  const wanted = [digestOf(upload).digestAlgorithm ?? DEFAULT_DIGEST]
  try {
    const body = verifiedBytes(bytes, { digests: {}, wanted, hasTrailer: false, sizeBytes })
    return await sendVerified(deps, upload, { ...body, sizeBytes }, sending)
  } finally {
    bytes.destroy()
  }
}
