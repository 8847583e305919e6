import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { checkContent } from '@tideport/contracts/internal/api'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { readArchive } from '@tideport/contracts/public/archive'
import { postContent, putContent, readContent } from '@tideport/contracts/public/content'
import * as actions from '@tideport/contracts/public/file-actions'
import * as files from '@tideport/contracts/public/files'
import { forgetFolder, keepFolder } from '@tideport/contracts/public/folders'
import { cancelJob, listJobs, readJob } from '@tideport/contracts/public/jobs'
import * as many from '@tideport/contracts/public/many-files'
import { deleteFile, listTrash, restoreFile } from '@tideport/contracts/public/trash'
import { readUploadCost } from '@tideport/contracts/public/upload-cost'
import { listUploadedParts, renewUploadUrls } from '@tideport/contracts/public/uploads'
import { listVaults, readVault } from '@tideport/contracts/public/vaults'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { notFound } from '@tideport/service-kit/process/app-error'

/** What paths begin with that a principal sees; null: all paths. */
export function prefixesOf({ limits }: Pick<AccountPrincipal, 'limits'>): readonly string[] | null {
  return limits?.prefixes ?? null
}

/** Whether a path, in NFC, begins with one of the prefixes, byte for byte. */
export function isPlacedWithin(prefixes: readonly string[] | null, path: string): boolean {
  return prefixes === null || prefixes.some((prefix) => path.startsWith(prefix))
}

/** What is about all that is below a prefix, which has to be within, or about files that are named, of which those outside are not found. */
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
 * Where paths are looked at: all others are closed to keys that are limited to prefixes, until somebody has thought of it.
 * Lists look at `prefixesOf` themselves.
 */
const knowing = new Set(
  [
    ...[files.requestUpload, files.confirmUpload, files.listFiles, files.readFile, files.downloadFile],
    ...[actions.updateFile, actions.retryFile, actions.rehydrateFile, actions.readCopies, actions.readTimeline],
    ...[deleteFile, restoreFile, listTrash, listUploadedParts, renewUploadUrls, readUploadCost],
    ...[checkContent, putContent, postContent, readContent, listVaults, readVault, keepFolder, forgetFolder],
    // Of jobs those are seen that the key has asked for itself.
    ...[listJobs, readJob, cancelJob],
  ].map(nameOf),
)

export interface NamedPaths {
  params?: { path?: string } | undefined
  query?: { prefix?: string | undefined } | undefined
  body?: { name?: string; path?: string; ids?: readonly string[]; prefix?: string; to?: string } | undefined
}

/**
 * Of a key that is limited to prefixes: 404 for a file that it does not see, 403 where it would put one outside, or where a
 * whole vault is concerned. `file` is the one that the path of the request names: null where it does not exist.
 */
export function assertWithinPrefixes(
  endpoint: Endpoint,
  prefixes: readonly string[],
  { params, query, body, file }: NamedPaths & { file: Pick<FileRow, 'folder' | 'path'> | null | undefined },
): void {
  if (below.has(nameOf(endpoint))) {
    // What is done looks at the path of each file as it does it: those that are named may be anywhere, and are moved meanwhile.
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

const beyond = () => outsideLimits('The API key is limited to paths that this is not within', { limit: 'prefixes' })
