import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { ErrorCode } from '@tideport/contracts/endpoint/errors'
import type { Scope } from '@tideport/contracts/endpoint/scope'
import { checkContent } from '@tideport/contracts/internal/api'
import { bucketsApi } from '@tideport/contracts/internal/buckets'
import {
  type Effect,
  type Effects,
  effectsIn,
  effectsOf,
  readingScope,
  verbOf,
} from '@tideport/contracts/internal/effects'
import { objectContentsApi } from '@tideport/contracts/internal/object-contents'
import { objectUploadsApi } from '@tideport/contracts/internal/object-uploads'
import { objectsApi } from '@tideport/contracts/internal/objects'
import type { AccountPrincipal, Principal } from '@tideport/contracts/internal/principal'
import { readArchive } from '@tideport/contracts/public/archive'
import { postContent, putContent, readContent } from '@tideport/contracts/public/content'
import { downloadFile } from '@tideport/contracts/public/downloads'
import * as actions from '@tideport/contracts/public/file-actions'
import type { File } from '@tideport/contracts/public/files'
import * as files from '@tideport/contracts/public/files'
import { forgetFolder, keepFolder } from '@tideport/contracts/public/folders'
import { cancelJob, listJobs, readJob } from '@tideport/contracts/public/jobs'
import * as many from '@tideport/contracts/public/many-files'
import { deleteFile, listTrash, restoreFile } from '@tideport/contracts/public/trash'
import { readUploadCost } from '@tideport/contracts/public/upload-cost'
import { listUploadedParts, renewUploadUrls } from '@tideport/contracts/public/uploads'
import { listVaults, readVault } from '@tideport/contracts/public/vaults'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import type { Route } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { Sight } from '../lookups/authorized-vault.ts'
import { type FileSeen, findOwnFile } from '../lookups/find-file.ts'

/** The vaults that a principal may access. Null: all vaults of its account. */
export function vaultsOf({ limits }: AccountPrincipal): readonly string[] | null {
  return limits?.vaultIds ?? null
}

export function sightOf(principal: AccountPrincipal): Sight {
  return { accountId: principal.accountId, vaultIds: vaultsOf(principal), prefixes: prefixesOf(principal) }
}

/**
 * The file that an equal earlier request created. Null if the file has moved outside the principal's limits since then.
 */
export async function findMadeBefore(
  db: Kysely<FilesDb>,
  principal: AccountPrincipal,
  fileId: string,
): Promise<FileSeen | null> {
  const file = await findOwnFile(db, principal.accountId, fileId)
  if (file === null || vaultsOf(principal)?.includes(file.vaultId) === false) return null
  return isPlacedWithin(prefixesOf(principal), file.path) ? file : null
}

interface Named {
  principal: Principal
  params?: { fileId?: string; vaultId?: string; linkId?: string; path?: string } | undefined
  query?: { prefix?: string | undefined } | undefined
  body?: (NonNullable<NamedPaths['body']> & { vaultId?: string; toVaultId?: string }) | undefined
}

/**
 * Applies the limits of keys. Vaults: a file, vault, or link in the path, or a vault in the body, gets 404 unless it is
 * within the limits. Lists use `sightOf`. Verbs: a request needs the verb of each of its effects. Prefixes: see
 * `assertWithinPrefixes`. Removes from the response of every writing endpoint what the caller may not read.
 */
export function enforceKeyLimits<E extends Endpoint>(db: Kysely<FilesDb>, route: Route<E>): Route<E> {
  const { endpoint } = route
  const effects = effectsOf(endpoint)
  const handle: Route['handle'] = async (input) => {
    const { principal } = input
    if (effects === undefined || principal.kind !== 'account') return await route.handle(input)
    try {
      return withholdAnswer(endpoint, effects, principal, await route.handle(input))
    } catch (error) {
      throw withholdDetails(endpoint, principal, error)
    }
  }
  return {
    ...route,
    async handle(input) {
      const { principal, params, query, body } = input as Named
      if (principal.kind !== 'account') return await handle(input)
      for (const effect of effects ? effectsIn(effects, { ...(query && { query }), ...(body && { body }) }) : [])
        assertMay(principal, effect)
      const [vaultIds, prefixes] = [vaultsOf(principal), prefixesOf(principal)]
      const isLimited = vaultIds !== null || prefixes !== null
      const file = isLimited && params?.fileId !== undefined ? await placeOf(db, principal, params.fileId) : undefined
      if (vaultIds !== null) {
        if (file === null) throw notFound()
        const named = [params?.vaultId, body?.vaultId, body?.toVaultId, file?.vaultId].filter((id) => id !== undefined)
        if (params?.linkId !== undefined) named.push(...(await homeOfLink(db, principal, params.linkId)))
        if (named.some((id) => !vaultIds.includes(id))) throw notFound()
      }
      if (prefixes !== null) assertWithinPrefixes(endpoint, prefixes, { params, query, body, file })
      return await handle(input)
    },
  }
}

/** Whether a caller has the verb that an effect needs. */
export function may({ limits }: Pick<AccountPrincipal, 'limits'>, effect: Effect): boolean {
  return limits?.verbs?.includes(verbOf[effect]) !== false
}

/**
 * Throws 403 unless the caller has the verb that an effect needs. Handlers call it for effects that they discover late.
 */
export function assertMay(principal: Pick<AccountPrincipal, 'limits'>, effect: Effect): void {
  if (may(principal, effect)) return
  const requiredVerb = verbOf[effect]
  throw outsideLimits('The API key lacks a verb that this request requires', {
    limit: 'verbs',
    requiredVerb,
  })
}

/** Null if the file does not exist. Takes the same time whether or not the caller may see the file. */
async function placeOf(
  db: Kysely<FilesDb>,
  { accountId }: AccountPrincipal,
  fileId: string,
): Promise<Pick<FileRow, 'vaultId' | 'folder' | 'path'> | null> {
  const files = db.selectFrom('file').select(['vaultId', 'folder', 'path'])
  const row = await files.where('id', '=', fileId).where('accountId', '=', accountId).executeTakeFirst()
  return row ?? null
}

/** The vault that a link currently points to. Throws 404 if the link does not exist. */
async function homeOfLink(db: Kysely<FilesDb>, { accountId }: AccountPrincipal, linkId: string): Promise<string[]> {
  const row = await db
    .selectFrom('link')
    .leftJoin('file', 'file.id', 'link.fileId')
    .select(({ fn }) => fn.coalesce('file.vaultId', 'link.vaultId').as('vaultId'))
    .where('link.id', '=', linkId)
    .where('link.accountId', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row.vaultId ? [row.vaultId] : []
}

/** The path prefixes that a principal may access. Null: all paths. */
export function prefixesOf({ limits }: Pick<AccountPrincipal, 'limits'>): readonly string[] | null {
  return limits?.prefixes ?? null
}

/** Whether a path in NFC begins with one of the prefixes, compared byte by byte. */
export function isPlacedWithin(prefixes: readonly string[] | null, path: string): boolean {
  return prefixes === null || prefixes.some((prefix) => path.startsWith(prefix))
}

/**
 * Endpoints that process either all files below a prefix, which must be within the limits, or named files, of which
 * those outside are not found.
 */
const below = new Set(
  [
    readArchive,
    many.moveFiles,
    many.copyFiles,
    many.trashFiles,
    many.restoreFiles,
    many.publishFiles,
    many.deleteFiles,
  ].map(nameOf),
)

/**
 * Endpoints that check paths. All other endpoints reject keys with prefixes until they are added here. Lists apply
 * `prefixesOf` themselves.
 */
const knowing = new Set(
  [
    ...[files.requestUpload, files.confirmUpload, files.listFiles, files.readFile, downloadFile],
    ...[actions.updateFile, actions.retryFile, actions.rehydrateFile, actions.readCopies, actions.readTimeline],
    ...[deleteFile, restoreFile, listTrash, listUploadedParts, renewUploadUrls, readUploadCost],
    ...[checkContent, putContent, postContent, readContent, listVaults, readVault, keepFolder, forgetFolder],
    // A key sees only jobs that it requested itself.
    ...[listJobs, readJob, cancelJob],
    ...[bucketsApi.listBuckets, bucketsApi.readBucket],
    ...Object.values(objectsApi),
    ...Object.values(objectContentsApi),
    ...Object.values(objectUploadsApi),
  ].map(nameOf),
)

export interface NamedPaths {
  params?: { path?: string } | undefined
  query?: { prefix?: string | undefined } | undefined
  body?: { name?: string; path?: string; ids?: readonly string[]; prefix?: string; to?: string } | undefined
}

/**
 * Enforces the prefixes of a key: 404 for a file outside of them, 403 for a target path outside of them or a request
 * about a complete vault. `file` is the file in the request path: null if it does not exist.
 */
export function assertWithinPrefixes(
  endpoint: Endpoint,
  prefixes: readonly string[],
  { params, query, body, file }: NamedPaths & { file: Pick<FileRow, 'folder' | 'path'> | null | undefined },
): void {
  if (below.has(nameOf(endpoint))) {
    // The operation checks the path of each named file itself, because files may move meanwhile.
    const { prefix = '' } = body ?? query ?? {}
    if (body?.ids === undefined && !isPlacedWithin(prefixes, prefix)) throw beyond()
    if (body?.to !== undefined && !isPlacedWithin(prefixes, body.to)) throw beyond()
    return
  }
  if (!knowing.has(nameOf(endpoint))) throw beyond()
  if (file === null || (file && !isPlacedWithin(prefixes, file.path))) throw notFound()
  if (params?.path !== undefined && !isPlacedWithin(prefixes, params.path)) {
    throw endpoint.verb === 'read' ? notFound() : beyond()
  }
  const target = body?.path ?? (body?.name === undefined ? undefined : (file?.folder ?? '') + body.name)
  if (target !== undefined && !isPlacedWithin(prefixes, target)) throw beyond()
}

function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`
}

const beyond = () => outsideLimits('The path is outside the prefixes of the API key', { limit: 'prefixes' })

/** Whether a caller may read files, or other data that the scope covers. */
export function mayRead({ scopes, limits }: AccountPrincipal, scope: Scope = 'files:read'): boolean {
  return (scopes === null || scopes.includes(scope)) && limits?.verbs?.includes('read') !== false
}

/**
 * The key to store with an upload, so that `isUploader` recognizes its caller. Null: the caller may read files anyway.
 */
export function uploaderOf(principal: AccountPrincipal): string | null {
  return mayRead(principal) ? null : (principal.keyId ?? null)
}

/** Whether the caller requested the upload and nobody has edited the file since. */
export function isUploader({ keyId }: AccountPrincipal, { uploaderKeyId }: Pick<FileRow, 'uploaderKeyId'>): boolean {
  return uploaderKeyId !== null && uploaderKeyId === keyId
}

/**
 * Whether a caller may see the missing parts of an upload. A caller that may not read files sees only its own uploads.
 */
export function isOpenTo(principal: AccountPrincipal, upload: Pick<FileRow, 'status' | 'uploaderKeyId'>): boolean {
  return upload.status !== 'uploading' || mayRead(principal) || isUploader(principal, upload)
}

const ownAnswers = new WeakSet<object>()

/**
 * Marks a response about a file that the caller has just uploaded and may therefore see. Hides the ID of the replaced
 * file.
 */
export function toUploader(file: File): File {
  const answer = { ...file, replaces: null }
  ownAnswers.add(answer)
  return answer
}

/** Removes the data that the caller may not read from a response. */
export function withholdAnswer(
  { access }: Pick<Endpoint, 'access'>,
  { told }: Effects,
  principal: AccountPrincipal,
  answer: unknown,
): unknown {
  if (typeof answer !== 'object' || answer === null || ownAnswers.has(answer)) return answer
  return mayRead(principal, readingScope(access)) ? answer : told(answer as never)
}

/** Error details about existing data, as opposed to the request and its limits. */
const factsOf: Partial<Record<ErrorCode, readonly string[]>> = {
  path_taken: ['fileId'],
  precondition_failed: ['etag'],
  state_conflict: ['vaultId'],
  vault_not_empty: ['fileCount'],
  quota_exceeded: ['storageBytes', 'neededBytes'],
}

/** Removes the data that the caller may not read from an error. */
export function withholdDetails({ access }: Pick<Endpoint, 'access'>, principal: AccountPrincipal, error: unknown) {
  const facts = error instanceof AppError && factsOf[error.code]
  if (!facts || mayRead(principal, readingScope(access))) return error
  const { code, message, cause, retryAfterSeconds, details = {} } = error
  const left = Object.entries(details).filter(([name]) => !facts.includes(name))
  return new AppError(code, message, {
    cause,
    ...(left.length > 0 && { details: Object.fromEntries(left) }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
