import type { IncomingMessage } from 'node:http'
import { extname } from 'node:path'
import { isOfType, mimeType as mimeTypeOf } from '@tideport/contracts/public/mime-type'
import { fileName } from '@tideport/contracts/public/paths'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { createUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { onBehalfOf } from '@tideport/service-kit/context/request-context'
import { invalid, toInputIssues } from '@tideport/service-kit/http/invalid-input'
import { inOurWords } from '@tideport/service-kit/http/issue-words'
import { bodyPace } from '@tideport/service-kit/http/transfer'
import { AppError, notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { ByteShare } from '@tideport/service-kit/process/byte-share'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { FilesConfig } from '../config.ts'
import type { ContentLimits } from '../content/check-request.ts'
import { compareDigests, type DigestHeaders, declaredDigests } from '../content/digests.ts'
import { EXPIRY_SECONDS, PUT_SECONDS } from '../content/lives.ts'
import { type Content, readContent } from '../content/read-content.ts'
import { type StoreContentDeps, storeContent } from '../content/store-content.ts'
import { lengthOf, refuseUnlessWhole } from '../content/whole-body.ts'
import { type AnnounceDeps, storeQueues } from '../files/announce-work.ts'
import { isForUploads, isOpen, isSpent, type SeenLink } from './find-link.ts'
import { toTerms } from './link-views.ts'

/** Boundaries and headers of a form. */
export const FORM_BYTES = 16 * 1024

export interface ReceiveDeps extends StoreContentDeps, AnnounceDeps {
  share: ByteShare
  limits: ContentLimits
  config: Pick<
    FilesConfig,
    'settleSeconds' | 'trashRetentionSeconds' | 'streamStallSeconds' | 'downloadTokenKeys' | 'publicUrl'
  >
}

/** What a link takes of one file now, in bytes. Throws the one 404 unless it takes any. */
export function mostBytesOf(link: SeenLink, { directBytes }: ContentLimits): number {
  const { takes } = toTerms(link)
  if (takes === null || !isForUploads(link) || isSpent(link)) throw notFound()
  return Math.min(takes.maxFileBytes, directBytes)
}

/**
 * The whole body of a request into the memory that all uploads in one call share, and there for as long as `work` takes;
 * `room` is what it may take beside. Throws 400 where its bytes are not those of the digest that came with them. Counts for the account of the link: what strangers send takes the place of its own.
 */
export async function withBody<T>(
  { share, config }: ReceiveDeps,
  { accountId }: SeenLink,
  request: IncomingMessage,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: () => AppError },
  work: (content: Content, grow: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  refuseUnlessWhole(request)
  const declared = declaredDigests({ headers: request.headers as DigestHeaders })
  const lengthBytes = lengthOf(request)
  if ((lengthBytes ?? 0) > maxBytes) throw tooLarge()
  using room = share.open(accountId, bodyPace(request))
  const stallMs = config.streamStallSeconds * 1000
  const content = await readContent(request, { lengthBytes, maxBytes, stallMs, room, tooLarge })
  compareDigests(declared, content.sha256)
  return await work(content, (bytes) => room.grow(bytes))
}

export function tooLargeForLink(maxSizeBytes: number): AppError {
  return new AppError('too_large', `The link takes at most ${maxSizeBytes} bytes`, { details: { maxSizeBytes } })
}

interface Sent {
  name: string
  mimeType: string
  content: Content
  clientAddress: string | null
}

/**
 * Stores a file that was sent by a link in the folder of the link, where the file awaits review unless the link publishes.
 * The transaction that creates the file counts it, so concurrent senders never exceed the limits of the link. A file that
 * is not stored is no longer counted.
 */
export async function receiveFile(deps: ReceiveDeps, link: SeenLink, sent: Sent): Promise<{ name: string }> {
  const { name, mimeType } = checkSent(link, sent)
  const actor = { method: 'link' as const, keyId: null, keyPrefix: null, subject: null, linkId: link.id }
  return await onBehalfOf({ actor, clientAddress: sent.clientAddress }, async () => {
    const upload = await create(deps, link, { ...sent, name, mimeType })
    try {
      await storeContent(deps, upload, sent.content, { mayComeAgain: false })
    } catch (error) {
      await takeBack(deps, link.id, upload)
      throw error
    }
    deps.announce(upload.id, storeQueues(deps.networks.required))
    return { name }
  })
}

const SENTENCE = 'The file is not valid'

/** Throws 400 for a name or type that no file has, 413, and 415 for a type that the link does not take. */
function checkSent(link: SeenLink, { name, mimeType, content }: Sent) {
  const named = fileName.safeParse(name, { error: inOurWords })
  if (!named.success) throw invalid(SENTENCE, toInputIssues(named.error, 'name'))
  const typed = mimeTypeOf.safeParse(mimeType, { error: inOurWords })
  if (!typed.success) throw invalid(SENTENCE, toInputIssues(typed.error, 'content-type'))
  const isTaken = link.mimeTypes?.some((wanted) => isOfType(typed.data, wanted)) ?? true
  if (!isTaken) throw new AppError('unsupported_media_type', 'The link takes no files of this type')
  const maxBytes = toTerms(link).takes?.maxFileBytes ?? 0
  if (content.sizeBytes > maxBytes) throw tooLargeForLink(maxBytes)
  return { name: named.data, mimeType: typed.data }
}

async function create(deps: ReceiveDeps, link: SeenLink, { name, mimeType, content }: Sent): Promise<FileRow> {
  const { db, limits, config } = deps
  const { sizeBytes, sha256 } = content
  const id = uuidv7()
  const wanted = {
    ...{ id, accountId: link.accountId, vaultId: link.vaultId ?? '', folder: link.prefix ?? '' },
    ...{ name: ownName(name, id), mimeType, sizeBytes, sha256, checksumDeclared: sha256 },
    ...{ encryption: null, partSizeBytes: null, form: 'direct' as const, expirySeconds: EXPIRY_SECONDS },
    awaitingReview: link.received !== 'publish',
    settledAfterSeconds: PUT_SECONDS + config.settleSeconds,
    quotaBytes: limits.quotaBytes,
    openUploadsMax: limits.openUploadsMax,
  }
  return await db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      update link set files = files + 1, bytes = bytes + ${sizeBytes}::bigint, last_used_at = now()
      where id = ${link.id} and ${isOpen} and files < max_files and ${sizeBytes}::bigint <= max_file_bytes
        and bytes + ${sizeBytes}::bigint <= max_bytes
      returning id`.execute(trx)
    // Others were quicker, or it has just ended.
    if (rows.length === 0) throw notFound()
    const created = await createUpload(alone(trx), wanted)
    // What the account has left is not for strangers to know.
    if (created === null) throw unavailable('The file cannot be taken now')
    return created
  })
}

const NAME_BYTES_MAX = 255

/** `report.pdf` → `report-9f3a1c2b7d4e.pdf`: no sender takes a path that another file stands for, or learns that one does. */
export function ownName(name: string, fileId: string): string {
  const suffix = `-${fileId.slice(-12)}`
  const extension = extname(name).length <= 20 ? extname(name) : ''
  let stem = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(stem + suffix + extension) > NAME_BYTES_MAX) stem = [...stem].slice(0, -1).join('')
  return stem + suffix + extension
}

/**
 * Only where no file came to be: an answer of the database that was lost may have been that one did. Best effort: else it
 * stays counted.
 */
async function takeBack({ db, log }: ReceiveDeps, linkId: string, { id, sizeBytes }: FileRow): Promise<void> {
  const statement = sql`
    update link set files = files - 1, bytes = bytes - ${sizeBytes}::bigint
    where id = ${linkId} and not exists (select from file where file.id = ${id} and file.purging_at is null)`
  await statement.execute(db).catch((error: unknown) => log.warn({ err: error, linkId }, 'upload not taken back'))
}
