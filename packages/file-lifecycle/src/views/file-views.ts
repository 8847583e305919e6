import type { File } from '@tideport/contracts/public/files'
import type { publicFile } from '@tideport/contracts/public/public-access'
import type { Vault } from '@tideport/contracts/public/vaults'
import type { z } from 'zod'
import type { Networks } from '../copies/networks.ts'
import { isInHotTier } from '../copies/open-bytes.ts'
import { blobIdOf } from '../state/file-copies.ts'
import type { CopyRow, FileRow, VaultRow } from '../state/tables.ts'

/** A vault's row as its owner sees it. */
export function toVault(row: VaultRow): Vault {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    visibility: row.visibility,
    slug: row.slug,
    isDefault: row.isDefault,
    isExport: row.isExport,
    fileCount: row.fileCount,
    storageBytes: row.storageBytes,
    filesExpireAfterSeconds: row.filesExpireAfterSeconds,
    keyId: row.keyId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    deletedAt: toInstant(row.deletedAt),
  }
}

/** The copies of a row, and the order of the networks that decides which of them stands for the file. */
export interface Copies {
  copies: readonly CopyRow[]
  order: readonly string[]
  /** As of the networks; without it nothing is foretold. */
  blobIdOf?: Networks['blobIdOf']
}

/** A file's row as its owner sees it. */
export function toFile(row: FileRow, shown: Copies): File {
  const { copies, blobIdOf } = shown
  const { sizeBytes } = row
  const sha256 = knownSha256(row)
  return {
    ...toPublicFile(row, shown),
    expectedBlobId: sha256 === null ? null : (blobIdOf?.({ sha256, sizeBytes }) ?? null),
    wrappedKey: row.wrappedKey,
    encryptionIv: row.encryptionIv,
    plaintextSizeBytes: row.plaintextSizeBytes,
    plaintextChecksumSha256: row.plaintextChecksumSha256,
    error: row.error,
    errorCode: row.errorCode,
    inHotCache: isInHotTier(row),
    rehydrating: row.rehydrateDueAt !== null,
    syncAttempts: Math.max(0, ...copies.map(({ attempt, storedAt }) => (storedAt === null ? attempt : 0))),
    leaseExpiresAt: toInstant(firstEnd(copies)),
    hotUntil: toInstant(row.hotUntil),
    updatedAt: row.updatedAt.toISOString(),
    confirmedAt: toInstant(row.confirmedAt),
    syncedAt: toInstant(row.syncedAt),
    evictedAt: toInstant(row.evictedAt),
    deletedAt: toInstant(row.deletedAt),
    sealedMetadata: row.sealedMetadata,
    expiresAt: toInstant(row.expiresAt),
    awaitingReview: row.awaitingReview,
    replaces: row.replaces,
    replacedBy: row.replacedBy,
  }
}

/** When the first of the copies that count runs out. */
function firstEnd(copies: readonly CopyRow[]): Date | null {
  const ends = copies
    .filter(({ state }) => state === 'stored' || state === 'proved')
    .flatMap(({ leaseExpiresAt }) => leaseExpiresAt ?? [])
  return ends.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

/** What anyone may know of a file in a public vault. */
export function toPublicFile(row: FileRow, { copies, order }: Copies): z.output<typeof publicFile> {
  // The row names the copy before it is permanent; a blob id can be used only once the file is synced (spec §4).
  const isSynced = row.syncedAt !== null
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    mimeType: row.mimeType,
    sizeBytes: row.sizeBytes,
    vaultId: row.vaultId,
    status: row.status,
    storageNetworkBlobId: isSynced ? blobIdOf(copies, order) : null,
    checksumSha256: knownSha256(row),
    createdAt: row.createdAt.toISOString(),
    metadata: row.metadata ?? {},
    tags: row.tags ?? [],
  }
}

/** Of an upload in one call it is in the row before the bytes are at the store. */
function knownSha256({ status, sha256 }: FileRow): string | null {
  return status === 'uploading' ? null : sha256
}

/** As answers have it. */
export function toInstant(date: Date | null): string | null {
  return date?.toISOString() ?? null
}
