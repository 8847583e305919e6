import { objectUploadsApi } from '@tideport/contracts/internal/object-uploads'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import {
  completeOpenUpload,
  entityTagOf,
  type ListedPart,
  type ListFault,
  SMALLEST_PART_BYTES,
} from '@tideport/file-lifecycle/upload/open-completion'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { missing } from '../../buckets/find-bucket.ts'
import { may } from '../../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../../config.ts'
import { type AnnounceDeps, storeQueues } from '../../files/announce-work.ts'
import { refusedAtPath } from '../../files/file-fields.ts'
import type { OwnVault } from '../../lookups/authorized-vault.ts'
import type { UploadLimits } from '../../uploads/new-upload.ts'
import { requiredOccupant } from '../conditions.ts'
import { refusalAtKey } from '../new-file.ts'
import { toObject } from '../object-view.ts'
import { getUpload } from './find-upload.ts'
import { assertExpected, assertListed, combineDigests, digestOf } from './upload-digest.ts'

interface Deps extends AnnounceDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  writes: Writes
  limits: UploadLimits
  config: Pick<FilesConfig, 'confirmWaitSeconds' | 'confirmLostSeconds' | 'settleSeconds' | 'trashRetentionSeconds'>
}

type Input = RouteInput<typeof objectUploadsApi.completeObjectUpload>
const MD5 = /^"?([0-9a-f]{32})"?$/i

/** Can be repeated with the same list of parts, also after the upload became a file. */
export function completeObjectUploadRoute(deps: Deps) {
  return serve(objectUploadsApi.completeObjectUpload, async (input) => {
    const { principal, query } = input
    const { vault, upload } = await getUpload(deps.db, input)
    const parts = input.body.parts.map(toListed)
    try {
      return { object: toObject(await complete(deps, input, { vault, upload, parts })) }
    } catch (error) {
      throw await refusalAtKey(deps, { principal, vault, key: query.key }, error)
    }
  })
}

function toListed({ partNumber, etag, digests }: Input['body']['parts'][number]): ListedPart {
  const md5 = MD5.exec(etag)?.[1]?.toLowerCase()
  if (md5 === undefined) throw invalidPart(partNumber)
  return { partNumber, md5, digests }
}

interface Completing {
  vault: OwnVault
  upload: FileRow
  parts: ListedPart[]
}

async function complete(
  deps: Deps,
  { principal, query, body, signal }: Input,
  { vault, upload, parts }: Completing,
): Promise<FileRow> {
  const { db, networks, limits, config } = deps
  const isAgain = upload.entityTag !== null && upload.entityTag === entityTagOf(parts)
  const isBegun = upload.status !== 'uploading' || upload.completingAt !== null
  // The repetition of a completion would find its own file.
  const ifOccupant = isAgain && isBegun ? null : await requiredOccupant(db, principal, { vault, key: query.key }, body)
  const kind = digestOf(upload)
  if (upload.status === 'uploading') assertListed(kind, parts)
  const wanted = {
    parts: kind.digestAlgorithm === null ? parts.map((part) => ({ ...part, digests: {} })) : parts,
    sizeBytes: body.sizeBytes,
    maxFileBytes: limits.largest.file,
    onConflict: may(principal, 'replaces') ? ('replace' as const) : ('fail' as const),
    ifOccupant,
    async digestsOf(chosen: Parameters<typeof combineDigests>[1]) {
      const digests = await combineDigests(kind, chosen)
      assertExpected(kind, body, digests)
      return digests
    },
  }
  const wait = { waitMs: config.confirmWaitSeconds * 1000, signal }
  const completion = await completeOpenUpload({ ...deps, ...config }, upload, wanted, wait)
  if ('occupantId' in completion) throw refusedAtPath(completion)
  if (completion.outcome !== 'confirmed') throw toError(completion, body, limits)
  const { file, didTransition } = completion
  if (didTransition) deps.announce(file.id, storeQueues(networks.required))
  return file
}

type Failure = ListFault | { outcome: 'incomplete' | 'mismatch' | 'in_progress' | 'lost' | 'gone' }

function toError(failure: Failure, { sizeBytes }: Input['body'], { largest }: UploadLimits): AppError {
  switch (failure.outcome) {
    case 'invalid_part':
      return invalidPart(failure.partNumber)
    case 'mismatch':
      return invalidPart()
    case 'invalid_part_order':
      return new AppError('invalid_part_order', 'The list of parts is not in ascending order')
    case 'entity_too_small':
      return new AppError('entity_too_small', 'A part other than the last one is smaller than 5 MiB', {
        details: { partNumber: failure.partNumber, minSizeBytes: SMALLEST_PART_BYTES },
      })
    case 'too_large':
      return new AppError('too_large', 'The file is too large', { details: { maxSizeBytes: largest.file } })
    case 'size_differs':
      return new AppError(
        'validation_failed',
        `The provided 'x-amz-mp-object-size' header value ${sizeBytes} does not match what was computed: ${failure.sizeBytes}`,
      )
    case 'digest_differs':
      return new AppError(
        'digest_mismatch',
        `The ${failure.name} you specified for part ${failure.partNumber} did not match what we received.`,
        { details: { wrong: [failure.name] } },
      )
    case 'in_progress':
      return new AppError(
        'confirm_in_progress',
        'The object storage is still completing the upload. Try again later.',
        {
          retryAfterSeconds: 2,
        },
      )
    case 'incomplete':
      return unavailable()
    case 'lost':
    case 'gone':
      return missing('upload')
  }
}

function invalidPart(partNumber?: number): AppError {
  const sentence = 'A part was not found, or its ETag or checksum does not match'
  return new AppError('invalid_part', sentence, { details: partNumber === undefined ? {} : { partNumber } })
}
