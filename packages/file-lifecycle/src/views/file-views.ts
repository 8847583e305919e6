import type { Copy } from '@tideport/contracts/public/file-actions'
import type { File } from '@tideport/contracts/public/files'
import type { publicFile } from '@tideport/contracts/public/public-access'
import type { DeletedFile } from '@tideport/contracts/public/trash'
import type { Vault } from '@tideport/contracts/public/vaults'
import { type Kysely, sql } from 'kysely'
import type { z } from 'zod'
import type { Networks } from '../copies/networks.ts'
import { isInHotTier } from '../copies/open-bytes.ts'
import { blobIdOf, isNamed, readCopies } from '../state/file-copies.ts'
import type { CopyRow, FileRow, FilesDb, VaultRow } from '../state/tables.ts'

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

/** `order`: the networks, to choose the copy whose blob ID is shown. */
export interface Copies {
  copies: readonly CopyRow[]
  order: readonly string[]
  /** Without it `expectedBlobId` is null. */
  blobIdOf?: Networks['blobIdOf']
}

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

function firstEnd(copies: readonly CopyRow[]): Date | null {
  const ends = copies
    .filter(({ state }) => state === 'stored' || state === 'proved')
    .flatMap(({ leaseExpiresAt }) => leaseExpiresAt ?? [])
  return ends.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

/** The public view of a file in a public vault. */
export function toPublicFile(row: FileRow, { copies, order }: Copies): z.output<typeof publicFile> {
  // A blob ID is public only after the file is synced (spec §4).
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

/** An upload in one call has it in the row before the store has the bytes. */
function knownSha256({ status, sha256 }: FileRow): string | null {
  return status === 'uploading' ? null : sha256
}

export function toInstant(date: Date | null): string | null {
  return date?.toISOString() ?? null
}

/** A file's copies for its owner, in the order of the networks, unknown networks last. */
export function toCopies(copies: readonly CopyRow[], networks: Pick<Networks, 'get' | 'order'>): Copy[] {
  return inOrder(copies, networks).map((row) => ({
    network: row.network,
    driver: networks.get(row.network)?.driver ?? null,
    // The row names the copy before it is permanent.
    blobId: row.storedAt === null ? null : row.blobId,
    state: row.state === 'planned' && row.lostAt !== null ? 'lost' : row.state,
    storedAt: toInstant(row.storedAt),
    provedAt: toInstant(row.provedAt),
    checkedAt: toInstant(row.checkedAt),
    checks: { ok: row.checksOk, failed: row.checksFailed },
    leaseExpiresAt: toInstant(row.leaseExpiresAt),
  }))
}

/** What a purge does to each copy that may exist. */
export function toNetworkCopies(
  copies: readonly CopyRow[],
  networks: Pick<Networks, 'get' | 'order'>,
): DeletedFile['networkCopies'] {
  const kept = copies.filter((copy) => isNamed(copy) && copy.state !== 'dropped')
  return inOrder(kept, networks).map(({ network, leaseExpiresAt }) =>
    networks.get(network)?.caps.removes === false
      ? { network, outcome: 'expires', expiresAt: toInstant(leaseExpiresAt) }
      : { network, outcome: 'released', expiresAt: null },
  )
}

function inOrder(copies: readonly CopyRow[], { order }: Pick<Networks, 'order'>): CopyRow[] {
  const place = ({ network }: CopyRow) => (order.includes(network) ? order.indexOf(network) : order.length)
  return copies.toSorted((a, b) => place(a) - place(b) || (a.network < b.network ? -1 : 1))
}

export interface ShowDeps {
  db: Kysely<FilesDb>
  networks: Networks
}

type View<Row, Shown> = (row: Row, shown: Copies) => Shown

/** A file with its copies as `view` shows it. An unconfirmed file has none. */
export async function showFile<Row extends FileRow, Shown>(
  { db, networks: { order, blobIdOf } }: ShowDeps,
  row: Row,
  view: View<Row, Shown>,
): Promise<Shown> {
  return view(row, { copies: row.confirmedAt === null ? [] : await readCopies(db, row.id), order, blobIdOf })
}

/** Reads the copies of all files in one query. */
export async function showFiles<Row extends FileRow, Shown>(
  { db, networks: { order, blobIdOf } }: ShowDeps,
  rows: readonly Row[],
  view: View<Row, Shown>,
): Promise<Shown[]> {
  const copies = await readCopiesOf(
    db,
    rows.filter(({ confirmedAt }) => confirmedAt !== null).map(({ id }) => id),
  )
  const ofFile = Map.groupBy(copies, ({ fileId }): string => fileId)
  return rows.map((row) => view(row, { copies: ofFile.get(row.id) ?? [], order, blobIdOf }))
}

/** One parameter for all IDs, so one statement to prepare. */
async function readCopiesOf(db: Kysely<FilesDb>, ids: string[]): Promise<CopyRow[]> {
  if (ids.length === 0) return []
  return (await sql<CopyRow>`select * from copy where file_id = any(${ids}::uuid[])`.execute(db)).rows
}
