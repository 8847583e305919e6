import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { checkContent } from '@tideport/contracts/internal/api'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { postContent, putContent, readContent } from '@tideport/contracts/public/content'
import * as actions from '@tideport/contracts/public/file-actions'
import * as files from '@tideport/contracts/public/files'
import { forgetFolder, keepFolder } from '@tideport/contracts/public/folders'
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
  ].map(nameOf),
)

export interface NamedPaths {
  params?: { path?: string } | undefined
  body?: { name?: string | undefined; path?: string | undefined } | undefined
}

/**
 * Of a key that is limited to prefixes: 404 for a file that it does not see, 403 where it would put one outside, or where a
 * whole vault is concerned. `file` is the one in the path of the request, if there is such a file.
 */
export function assertWithinPrefixes(
  endpoint: Endpoint,
  prefixes: readonly string[],
  { params, body, file }: NamedPaths & { file: Pick<FileRow, 'folder' | 'path'> | null },
): void {
  if (!knowing.has(nameOf(endpoint))) throw beyond()
  if (file !== null && !isPlacedWithin(prefixes, file.path)) throw notFound()
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
