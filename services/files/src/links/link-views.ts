import type { openedLink } from '@tideport/contracts/public/link-access'
import type { Link } from '@tideport/contracts/public/links'
import type { FileRow, LinkRow } from '@tideport/file-lifecycle/state/tables'
import type { z } from 'zod'
import { isForUploads, isSpent, type SeenLink } from './find-link.ts'
import type { OwnLink } from './own-links.ts'

export type OpenedLink = z.output<typeof openedLink>

export function toLink(row: OwnLink): Link {
  return {
    id: row.id,
    kind: kindOf(row),
    fileId: row.fileId,
    path: row.path,
    vaultId: row.vaultId,
    prefix: row.prefix,
    state: stateOf(row),
    hasPassword: row.passwordHash !== null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    maxDownloads: row.maxDownloads,
    downloads: row.downloads,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    upload: uploadOf(row),
    keyId: row.keyId,
    createdAt: row.createdAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
  }
}

export function kindOf(row: LinkRow): Link['kind'] {
  if (isForUploads(row)) return 'upload'
  return row.fileId === null ? 'folder' : 'file'
}

function uploadOf({ maxFiles, maxFileBytes, maxBytes, mimeTypes, received, files, bytes }: LinkRow): Link['upload'] {
  if (maxFiles === null || maxFileBytes === null || maxBytes === null || received === null) return null
  return { maxFiles, maxFileBytes, maxBytes, mimeTypes, received, files, bytes }
}

function stateOf(row: OwnLink): Link['state'] {
  if (row.revokedAt !== null) return 'revoked'
  if (!row.isOpen) return 'expired'
  return isSpent(row) ? 'spent' : 'usable'
}

export function toLinkedFile(file: FileRow, path: string): OpenedLink['files'][number] {
  const { mimeType, sizeBytes, sha256, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 } = file
  return {
    ...{ path, mimeType, sizeBytes, checksumSha256: sha256 },
    ...{ encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 },
  }
}

/** Fields of a link that do not depend on its target. */
export function toTerms(row: LinkRow) {
  const { expiresAt, maxDownloads, downloads } = row
  const upload = uploadOf(row)
  return {
    takes: upload && {
      filesLeft: upload.maxFiles - upload.files,
      maxFileBytes: Math.min(upload.maxFileBytes, upload.maxBytes - upload.bytes),
      mimeTypes: upload.mimeTypes,
      received: upload.received,
    },
    expiresAt: expiresAt?.toISOString() ?? null,
    downloadsLeft: maxDownloads === null ? null : Math.max(0, maxDownloads - downloads),
  }
}

/** The last segment of a folder, or the vault's name for a complete vault. */
export function nameOfFolder({ prefix, vaultName }: SeenLink): string {
  return prefix?.split('/').at(-2) ?? vaultName ?? ''
}

/** The view of an upload link. Reveals neither the files in the folder nor its name. */
export function toReceiving(link: LinkRow): OpenedLink {
  const none = { isEncrypted: false, files: [], folders: [], nextCursor: null }
  return { kind: 'upload', name: 'Send a file', ...toTerms(link), ...none }
}
