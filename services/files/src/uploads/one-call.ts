import { checkContent, contentLengthHeader } from '@tideport/contracts/internal/api'
import { type contentQuery, type postContent, putContent } from '@tideport/contracts/public/content'
import { mimeType } from '@tideport/contracts/public/mime-type'
import { fileName, filePath } from '@tideport/contracts/public/paths'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { showFile, toFile } from '@tideport/file-lifecycle/views/file-views'
import { type InputPart, inOurWords, invalidInput, toInputIssues } from '@tideport/service-kit/http/invalid-input'
import { type Route, type RouteInput, serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { isUploader, toUploader, uploaderOf } from '../calls/enforce-key-limits.ts'
import { type AnnounceDeps, storeQueues } from '../files/announce-work.ts'
import { type Conditions, conditionsIn, occupantMeeting } from '../files/conditions.ts'
import { checkEnd, checkPath, checkSealed, etagOf, pairsIn } from '../files/file-fields.ts'
import {
  type CreateDeps,
  createOrFind,
  encryptionIn,
  explainRefusal,
  findFault,
  madeOf,
  newUpload,
  type UploadLimits,
} from './new-upload.ts'
import { announcedBody, type BodyDeps, type Content, withBody } from './read-body.ts'
import { type StoreContentDeps, storeContent } from './store-content.ts'

const DEFAULT_TYPE = 'application/octet-stream'

/** Bodies up to this size are read before the vault is checked. */
const SMALL_BYTES = 64 * 1024

export interface ContentLimits extends UploadLimits {
  /** Largest body of one request. */
  directBytes: number
}

interface Deps extends StoreContentDeps, AnnounceDeps, BodyDeps, CreateDeps {
  limits: ContentLimits
  config: StoreContentDeps['config'] & BodyDeps['config'] & { uploadExpirySeconds: number }
}

interface ContentRequest {
  accountId: string
  vaultId: string
  path: string
  query: z.output<typeof contentQuery>
  /** Checked before the bytes are read. */
  conditions: Conditions | null
}

/** A repeated request may be about an existing file. */
const early = (headers: Conditions & { 'idempotency-key'?: string | undefined }) =>
  headers['idempotency-key'] === undefined ? conditionsIn(headers) : null

/** Checks whether a one-request upload would be accepted, before the client sends any bytes. */
export function checkContentRoute({ db, limits }: { db: Kysely<FilesDb>; limits: ContentLimits }) {
  return serve(checkContent, async ({ principal, params, query, headers }) => {
    const sizeBytes = Number(headers[contentLengthHeader] ?? 0)
    const request = { accountId: principal.accountId, ...params, query, conditions: early(headers) }
    checkForm(request, sizeBytes, limits)
    await checkVault(db, request, sizeBytes, limits)
    return {}
  })
}

type Input = RouteInput<typeof putContent>

/**
 * `PUT /api/vaults/:vaultId/content/*path` (docs/explain/life-of-a-file.md §3). Writes nothing before all bytes have
 * arrived.
 */
export function putContentRoute(deps: Deps): Route<typeof putContent> {
  return serve(putContent, (input) => uploadContent(deps, input))
}

/** `POST` to the same path does the same. */
export function postContentRoute(deps: Deps): Route<typeof postContent> {
  return { ...putContentRoute(deps), endpoint: { ...putContent, method: 'POST' } }
}

async function uploadContent(deps: Deps, input: Input) {
  const { db, limits } = deps
  const { principal, params, query } = input
  const { tag: tags, sealedMetadata } = query
  const labels = { metadata: pairsIn(input.request.query), tags, sealedMetadata }
  const request = { accountId: principal.accountId, ...params, query, conditions: early(input.headers) }
  const described = { labels, mimeType: typeOf(input.headers['content-type']) }
  const body = announcedBody(input.request.raw, { checksumSha256: query.checksumSha256, hasConditions: true })
  const sizeBytes = body.lengthBytes ?? 0
  checkForm(request, sizeBytes, limits)
  if ((body.lengthBytes ?? Number.POSITIVE_INFINITY) > SMALL_BYTES) await checkVault(db, request, sizeBytes, limits)
  const bounds = { maxBytes: limits.directBytes, tooLarge: () => tooLargeForOneCall(limits) }
  return await withBody(deps, request.accountId, body, bounds, async (content) => {
    const upload = await create(deps, input, { ...request, ...described, content })
    const mayComeAgain = input.headers['idempotency-key'] !== undefined
    input.reply.header('etag', etagOf(upload.id))
    if (upload.status !== 'uploading') return await showFile(deps, upload, toFile)
    const { file, didTransition } = await storeContent(deps, upload, content, { mayComeAgain })
    if (!didTransition) return await showFile(deps, file, toFile)
    const { networks } = deps
    deps.announce(file.id, storeQueues(networks.required))
    const shown = toFile(file, { copies: [], order: networks.order, blobIdOf: networks.blobIdOf })
    return isUploader(principal, file) ? toUploader(shown) : shown
  })
}

interface Wanted extends ContentRequest {
  labels: { metadata: Record<string, string>; tags?: string[] | undefined; sealedMetadata?: string | undefined }
  mimeType: string
  content: Content
}

/** Creates the row of the file, or finds the one that an equal request with the same key created. */
async function create(deps: Deps, { principal, headers }: Pick<Input, 'principal' | 'headers'>, wanted: Wanted) {
  const { limits, config } = deps
  const { accountId, vaultId, path, query, labels, mimeType, content } = wanted
  const { id, onConflict, autoConfirm } = query
  const { sizeBytes, sha256 } = content
  const key = headers['idempotency-key']
  const expiresAt = query.expiresAt === 'never' ? null : query.expiresAt
  if (key === undefined) checkEnd(expiresAt, 'query')
  const encryption = encryptionIn(query)
  if (encryption === undefined)
    throw await explainRefusal(deps.db, accountId, { ...query, vaultId, sizeBytes, part: 'query' }, limits)
  checkSealed(labels, { isPrivate: encryption !== null, part: 'query' })
  const made = { vaultId, path, onConflict, labels, mimeType, sizeBytes, sha256, encryption, autoConfirm, expiresAt }
  const file = {
    ...{ ...made, ...madeOf(content, config), id, accountId, uploaderKeyId: uploaderOf(principal) },
    ...(key !== undefined && { expirySeconds: config.uploadExpirySeconds }),
  }
  const body = id == null ? made : { id, ...made }
  const conditions = conditionsIn(headers)
  const asking = { principal, key, operation: 'putContent', body, part: 'query', conditions } as const
  return (await createOrFind(deps, newUpload(file, limits), asking)).upload
}

function tooLargeForOneCall({ directBytes }: Pick<ContentLimits, 'directBytes'>): AppError {
  const sentence = `Uploads in one request may be at most ${directBytes} bytes. Use the three-step upload instead: POST /api/files/upload, PUT the bytes to uploadUrl, then confirm.`
  return new AppError('too_large', sentence, { details: { maxSizeBytes: directBytes } })
}

/**
 * Checks a one-request upload without the database, before any bytes are read. Throws 400 and 413. `sizeBytes` is 0
 * while the size is unknown.
 */
function checkForm({ path }: ContentRequest, sizeBytes: number, limits: ContentLimits): void {
  // A name without folders may be longer than a path segment.
  const isPlaced = path.includes('/')
  const named = (isPlaced ? filePath : fileName).safeParse(path, { error: inOurWords })
  if (!named.success) throw invalid('path', isPlaced ? 'path' : 'name', named.error)
  if (sizeBytes > limits.directBytes) throw tooLargeForOneCall(limits)
}

/**
 * Checks the upload against the vault, its encryption, the limits of the account, and a file at the path. Throws 400,
 * 403, 404, 409, and 429.
 */
async function checkVault(
  db: Kysely<FilesDb>,
  { accountId, vaultId, path, query, conditions }: ContentRequest,
  sizeBytes: number,
  limits: ContentLimits,
): Promise<void> {
  const fault = await findFault(db, accountId, { ...query, vaultId, sizeBytes, part: 'query' }, limits)
  if (fault) throw fault
  if (conditions !== null) await occupantMeeting(db, { accountId, vaultId, key: path }, conditions)
  await checkPath(db, { accountId, vaultId, path, onConflict: query.onConflict })
}

/** The content type of the request. Throws 400 for an invalid type. */
function typeOf(header: string | undefined): string {
  const type = mimeType.safeParse(header ?? DEFAULT_TYPE, { error: inOurWords })
  if (!type.success) throw invalid('headers', 'content-type', type.error)
  return type.data
}

function invalid(part: InputPart, path: string, error: z.ZodError): AppError {
  return invalidInput(part, toInputIssues(error, path))
}
