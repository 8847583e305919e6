import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { checkLinkedContent, contentLengthHeader } from '@tideport/contracts/internal/api'
import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import { postLinkContent, putLinkedContent } from '@tideport/contracts/public/link-access'
import { isOfType, mimeType as mimeTypeOf } from '@tideport/contracts/public/mime-type'
import { fileName } from '@tideport/contracts/public/paths'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { createUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { onBehalfOf } from '@tideport/service-kit/context/request-context'
import { toErrorReply } from '@tideport/service-kit/http/error-reply'
import { inOurWords, invalid, toInputIssues } from '@tideport/service-kit/http/invalid-input'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError, notFound, unavailable } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import { type AnnounceDeps, storeQueues } from '../files/announce-work.ts'
import { uploadPage } from '../link-pages/upload-page.ts'
import { isForUploads, isOpen, isSpent, type SeenLink } from '../links/find-link.ts'
import {
  isForJson,
  openVisit,
  passwordRequired,
  sendPage,
  type Visit,
  type VisitDeps,
  visitOf,
} from '../links/link-session.ts'
import { toReceiving, toTerms } from '../links/link-views.ts'
import { boundaryOf, firstFile } from './form-file.ts'
import { madeOf, newUpload } from './new-upload.ts'
import type { ContentLimits } from './one-call.ts'
import { announcedBody, type BodyDeps, type Content, withBody } from './read-body.ts'
import { type StoreContentDeps, storeContent } from './store-content.ts'

const DEFAULT_TYPE = 'application/octet-stream'
/** Allowance for boundaries and headers of a form. */
const FORM_BYTES = 16 * 1024

interface Deps extends StoreContentDeps, AnnounceDeps, BodyDeps, VisitDeps {
  limits: ContentLimits
  config: StoreContentDeps['config'] & BodyDeps['config'] & VisitDeps['config']
}

type Request = RouteInput['request']

/** Checks whether a link accepts an upload before any of its bytes are read. */
export function checkLinkedContentRoute({ limits, ...deps }: VisitDeps & { limits: ContentLimits }) {
  return serve(checkLinkedContent, async ({ params: { token }, headers, request, reply }) => {
    const { link, isLocked } = await visitOf(deps, token, { request, reply })
    const maxBytes = mostBytesOf(link, limits)
    if (isLocked) throw passwordRequired()
    if (Number(headers[contentLengthHeader] ?? 0) > maxBytes + FORM_BYTES) throw tooLargeForLink(maxBytes)
    return {}
  })
}

/** `PUT /s/:token/content/*path`: one request with the bytes as its body. */
export function putLinkedContentRoute(deps: Deps) {
  return serve(putLinkedContent, async ({ params: { token, path }, request, reply }) => {
    const { link, isLocked } = await visitOf(deps, token, { request, reply })
    const maxBytes = mostBytesOf(link, deps.limits)
    if (isLocked) throw passwordRequired()
    const bounds = { maxBytes, tooLarge: () => tooLargeForLink(maxBytes) }
    return await withBody(deps, link.accountId, announcedBody(request.raw), bounds, async (content) => {
      const mimeType = request.headers['content-type'] ?? DEFAULT_TYPE
      return await receiveFile(deps, link, { name: path, mimeType, content, request })
    })
  })
}

/** `POST /s/:token/content`: the form of the page. Browsers get the page again with the result. */
export function postLinkContentRoute(deps: Deps) {
  return serve(postLinkContent, ({ params: { token }, request, reply }) =>
    openVisit(deps, token, { request, reply }, async (visit) => {
      const maxBytes = mostBytesOf(visit.link, deps.limits)
      if (visit.isLocked) throw passwordRequired()
      try {
        const received = await receiveForm(deps, visit, request, maxBytes)
        if (!isForJson(request)) return sendPage(reply, pageAfter(visit, token, { received }))
        const body = JSON.stringify(postLinkContent.success.orJson.parse(received))
        return reply.type('application/json; charset=utf-8').send(body)
      } catch (error) {
        const isTold = error instanceof AppError && error.code !== 'not_found' && isForPeople(request)
        if (!isTold) throw error
        const { status, headers } = toErrorReply(error)
        return sendPage(reply.code(status).headers(headers), pageAfter(visit, token, { problem: error.message }))
      }
    }),
  )
}

async function receiveForm(deps: Deps, { link }: Visit, request: Request, maxBytes: number): Promise<Received> {
  const boundary = boundaryOf(request.headers['content-type'])
  if (boundary === null) throw new AppError('unsupported_media_type', 'The body must be multipart/form-data')
  const bounds = { maxBytes: maxBytes + FORM_BYTES, tooLarge: () => tooLargeForLink(maxBytes) }
  return await withBody(deps, link.accountId, announcedBody(request.raw), bounds, async (body, grow) => {
    grow(body.sizeBytes)
    const file = firstFile(Buffer.concat(body.pieces), boundary)
    if (file === null) throw new AppError('validation_failed', 'The form has no file')
    const { name, mimeType, bytes } = file
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const content = { pieces: bytes.length === 0 ? [] : [bytes], sizeBytes: bytes.length, sha256, digests: {} }
    if (content.sizeBytes > maxBytes) throw tooLargeForLink(maxBytes)
    return await receiveFile(deps, link, { name, mimeType, content, request })
  })
}

function pageAfter({ link }: Visit, token: string, came: { received: Received } | { problem: string }): string {
  const sizeBytes = 'received' in came ? came.received.sizeBytes : 0
  const after = { ...link, files: link.files + Number('received' in came), bytes: link.bytes + sizeBytes }
  const { takes, ...opened } = toReceiving(after)
  const none = { filesLeft: 0, maxFileBytes: 0, mimeTypes: null, received: 'review' as const }
  return uploadPage({ ...opened, takes: takes ?? none, token, received: null, ...came, up: '../' })
}

/** The largest file in bytes that a link accepts now. Throws the same 404 for every link that accepts none. */
function mostBytesOf(link: SeenLink, { directBytes }: ContentLimits): number {
  const { takes } = toTerms(link)
  if (takes === null || !isForUploads(link) || isSpent(link)) throw notFound()
  return Math.min(takes.maxFileBytes, directBytes)
}

function tooLargeForLink(maxSizeBytes: number): AppError {
  return new AppError('too_large', `The link accepts files of at most ${maxSizeBytes} bytes`, {
    details: { maxSizeBytes },
  })
}

interface Sent {
  name: string
  mimeType: string
  content: Content
}

interface Received {
  name: string
  sizeBytes: number
  checksumSha256: string
}

/**
 * Stores a file that was sent by a link in the folder of the link, where the file awaits review unless the link
 * publishes. The transaction that creates the file counts it, so concurrent senders never exceed the limits of the link.
 * A file that is not stored is no longer counted.
 */
async function receiveFile(
  deps: Deps,
  link: SeenLink,
  { request, content, ...sent }: Sent & { request: Request },
): Promise<Received> {
  const { name, mimeType } = checkSent(link, { ...sent, content })
  const actor = { method: 'link' as const, keyId: null, keyPrefix: null, subject: null, linkId: link.id }
  const clientAddress = request.headers[clientAddressHeader]?.toString() ?? null
  return await onBehalfOf({ actor, clientAddress }, async () => {
    const upload = await create(deps, link, { name, mimeType, content })
    try {
      await storeContent(deps, upload, content, { mayComeAgain: false })
    } catch (error) {
      await takeBack(deps, link.id, upload)
      throw error
    }
    deps.announce(upload.id, storeQueues(deps.networks.required))
    return { name, sizeBytes: content.sizeBytes, checksumSha256: content.sha256 }
  })
}

const SENTENCE = 'The file is invalid'

/** Throws 400 for an invalid name or type, 413, and 415 for a type that the link does not accept. */
function checkSent(link: SeenLink, { name, mimeType, content }: Sent) {
  const named = fileName.safeParse(name, { error: inOurWords })
  if (!named.success) throw invalid(SENTENCE, toInputIssues(named.error, 'name'))
  const typed = mimeTypeOf.safeParse(mimeType, { error: inOurWords })
  if (!typed.success) throw invalid(SENTENCE, toInputIssues(typed.error, 'content-type'))
  const isTaken = link.mimeTypes?.some((wanted) => isOfType(typed.data, wanted)) ?? true
  if (!isTaken) throw new AppError('unsupported_media_type', 'The link does not accept files of this type')
  const maxBytes = toTerms(link).takes?.maxFileBytes ?? 0
  if (content.sizeBytes > maxBytes) throw tooLargeForLink(maxBytes)
  return { name: named.data, mimeType: typed.data }
}

async function create({ db, limits, config }: Deps, link: SeenLink, { name, mimeType, content }: Sent) {
  const { accountId, vaultId, prefix, received } = link
  const place = { accountId, vaultId: vaultId ?? '', path: (prefix ?? '') + name }
  const described = { mimeType, encryption: null, awaitingReview: received !== 'publish' }
  const upload = newUpload({ ...place, ...described, ...madeOf(content, config) }, limits)
  return await db.transaction().execute(async (trx) => {
    const { sizeBytes } = content
    const { rows } = await sql`
      update link set files = files + 1, bytes = bytes + ${sizeBytes}::bigint, last_used_at = now()
      where id = ${link.id} and ${isOpen} and files < max_files and ${sizeBytes}::bigint <= max_file_bytes
        and bytes + ${sizeBytes}::bigint <= max_bytes
      returning id`.execute(trx)
    // Other uploads have used up the link, or the link has just expired.
    if (rows.length === 0) throw notFound()
    const created = await createUpload(alone(trx), { ...upload, name: ownName(name, upload.id) })
    // Visitors must not learn the quota of the account.
    if (created === null) throw unavailable('The link cannot accept the file now. Try again later.')
    return created
  })
}

const NAME_BYTES_MAX = 255

/**
 * `report.pdf` becomes `report-9f3a1c2b7d4e.pdf`, so a visitor cannot replace an existing file or learn that it exists.
 */
export function ownName(name: string, fileId: string): string {
  const suffix = `-${fileId.slice(-12)}`
  const extension = extname(name).length <= 20 ? extname(name) : ''
  let stem = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(stem + suffix + extension) > NAME_BYTES_MAX) stem = [...stem].slice(0, -1).join('')
  return stem + suffix + extension
}

/**
 * Undoes the count only if no file exists, because a lost database response may mean that the file was created. Best
 * effort: otherwise the upload stays counted.
 */
async function takeBack({ db, log }: Deps, linkId: string, { id, sizeBytes }: FileRow): Promise<void> {
  const statement = sql`
    update link set files = files - 1, bytes = bytes - ${sizeBytes}::bigint
    where id = ${linkId} and not exists (select from file where file.id = ${id} and file.purging_at is null)`
  await statement
    .execute(db)
    .catch((error: unknown) => log.warn({ err: error, linkId }, 'could not restore the upload count of a link'))
}
