import type { File } from '@tideport/contracts/public/files'
import type { publicFile } from '@tideport/contracts/public/public-access'
import type { DeletedFile, TrashedFile } from '@tideport/contracts/public/trash'
import type { Vault } from '@tideport/contracts/public/vaults'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileRow, VaultRow } from '@tideport/file-lifecycle/state/tables'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { z } from 'zod'
import type { TrashedRow } from './find-trash.ts'

/** A vault's row as its owner sees it. */
export function toVault(row: VaultRow): Vault {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    visibility: row.visibility,
    slug: row.slug,
    isDefault: row.isDefault,
    fileCount: row.fileCount,
    storageBytes: row.storageBytes,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    deletedAt: toInstant(row.deletedAt),
  }
}

/** A file's row as its owner sees it. */
export function toFile(row: FileRow): File {
  return {
    ...toPublicFile(row),
    wrappedKey: row.wrappedKey,
    encryptionIv: row.encryptionIv,
    plaintextSizeBytes: row.plaintextSizeBytes,
    plaintextChecksumSha256: row.plaintextChecksumSha256,
    error: row.error,
    errorCode: row.errorCode,
    inHotCache: isInHotTier(row),
    rehydrating: row.rehydrateDueAt !== null,
    syncAttempts: row.syncAttempt,
    leaseExpiresAt: toInstant(row.leaseExpiresAt),
    hotUntil: toInstant(row.hotUntil),
    updatedAt: row.updatedAt.toISOString(),
    confirmedAt: toInstant(row.confirmedAt),
    syncedAt: toInstant(row.syncedAt),
    evictedAt: toInstant(row.evictedAt),
    deletedAt: toInstant(row.deletedAt),
  }
}

/** A file's row as its owner sees it in the trash. */
export function toTrashedFile(row: TrashedRow): TrashedFile {
  return {
    ...toFile(row),
    deletedAt: row.trashedAt.toISOString(),
    purgeDueAt: row.restorableUntil.toISOString(),
  }
}

/** A file's row as its owner sees it for the last time, or for now. */
export function toDeletedFile(row: FileRow, { caps }: Pick<StorageNetwork, 'caps'>): DeletedFile {
  const isPermanent = row.purgingAt !== null
  // Without a blob id there is no copy that could outlive the purge.
  const expires = !caps.removes && row.blobId !== null
  return {
    ...toFile(row),
    deletedAt: toInstant(row.deletedAt ?? row.purgingAt),
    purgeDueAt: isPermanent ? null : toInstant(row.purgeDueAt),
    networkCopy: expires ? 'expires' : 'released',
    networkCopyExpiresAt: expires ? toInstant(row.leaseExpiresAt) : null,
  }
}

/** What anyone may know of a file in a public vault. */
export function toPublicFile(row: FileRow): z.output<typeof publicFile> {
  // The row names the copy before it is permanent; a blob id can be used only once the file is synced (spec §4).
  const isSynced = row.syncedAt !== null
  return {
    id: row.id,
    name: row.name,
    mimeType: row.mimeType,
    sizeBytes: row.sizeBytes,
    vaultId: row.vaultId,
    status: row.status,
    storageNetworkBlobId: isSynced ? row.blobId : null,
    checksumSha256: isSynced ? row.sha256 : null,
    createdAt: row.createdAt.toISOString(),
  }
}

function toInstant(date: Date | null): string | null {
  return date?.toISOString() ?? null
}
