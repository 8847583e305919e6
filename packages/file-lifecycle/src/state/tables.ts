import type { AuditActor } from '@tideport/contracts/public/audit-event'
import type { FileStatus } from '@tideport/contracts/public/files'
import type { Visibility } from '@tideport/contracts/public/vaults'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType, Selectable } from 'kysely'
import type { SubjectKind } from './append-event.ts'

/** Schema `files` for Kysely: camelCase here, snake_case in SQL. */
export interface FilesDb {
  installation: { id: Generated<string>; createdAt: Generated<Date> }
  account: AccountTable
  vault: VaultTable
  file: FileTable
  copy: CopyTable
  uploadPart: UploadPartTable
  event: EventTable
  link: LinkTable
  fileName: { fileId: string; accountId: string; name: string }
  evictionRate: { taken: JSONColumnType<Record<string, number>>; granted: number }
  streamMark: { stream: string; created: string }
  idempotencyKey: {
    accountId: string
    key: string
    requestDigest: string
    resourceId: string
    createdAt: Generated<Date>
  }
}

interface AccountTable {
  id: string
  createdAt: Generated<Date>
  storageBytes: Generated<number>
  hotBytes: Generated<number>
  fileCount: Generated<number>
  vaultCount: Generated<number>
  openUploads: Generated<number>
  filesAdded: Generated<number>
  bytesAdded: Generated<number>
}

interface VaultTable {
  id: string
  accountId: string
  name: string
  description: Generated<string>
  visibility: Visibility
  slug: string
  isDefault: Generated<boolean>
  isExport: Generated<boolean>
  filesExpireAfterSeconds: number | null
  keyId: string | null
  cors: ColumnType<object[] | null, string | null | undefined, string | null>
  fileCount: Generated<number>
  storageBytes: Generated<number>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  deletedAt: Date | null
  purgeDueAt: Date | null
  purgingAt: Date | null
}

/**
 * `parts`: a multipart upload, completed by a confirm. `once`: one PUT of the client to the store. `direct`: through
 * this service. `open`: in parts of any size through this service.
 */
export type UploadForm = 'parts' | 'once' | 'direct' | 'open'

/** What happens to the file at a path that another file takes: it stays, wins, or is replaced. */
export type OnConflict = 'keep' | 'fail' | 'replace'

interface FileTable {
  id: string
  accountId: string
  vaultId: string
  folder: Generated<string>
  name: string
  path: GeneratedAlways<string>
  rawKey: string | null
  key: GeneratedAlways<string>
  placeId: string | null
  onConflict: Generated<OnConflict>
  ifOccupant: string | null
  replaces: string | null
  replacedBy: string | null
  metadata: Record<string, string> | null
  tags: string[] | null
  sealedMetadata: string | null
  expiresAt: Date | null
  awaitingReview: Generated<boolean>
  mimeType: string
  sizeBytes: number
  wrappedKey: string | null
  encryptionIv: string | null
  plaintextSizeBytes: number | null
  plaintextChecksumSha256: string | null
  status: Generated<FileStatus>
  version: Generated<number>
  errorCode: string | null
  error: string | null
  checksumDeclared: string | null
  partSizeBytes: number | null
  uploaderKeyId: string | null
  hotKey: string | null
  uploadKey: string
  uploadForm: Generated<UploadForm>
  uploadId: string | null
  uploadDigest: string | null
  uploadExpiresAt: Date
  confirmDueAt: Date | null
  completingAt: Date | null
  cleanupAfter: Date | null
  sha256: string | null
  entityTag: string | null
  digests: Record<string, string> | null
  headers: Record<string, string> | null
  partSizes: number[] | null
  crc32: number | null
  claimedUntil: Date | null
  fencingToken: Generated<number>
  unfinishedClaims: Generated<number>
  taskFailures: Generated<number>
  hotUntil: Date | null
  evictAttempt: Generated<number>
  evictDueAt: Date | null
  evictingAt: Date | null
  rehydrateDueAt: Date | null
  rehydrateKey: string | null
  rehydrateAttempt: Generated<number>
  deletedAt: Date | null
  purgeDueAt: Date | null
  purgingAt: Date | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  confirmedAt: Date | null
  syncedAt: Date | null
  evictedAt: Date | null
  erroredAt: Date | null
}

interface UploadPartTable {
  fileId: string
  partNumber: number
  attempt: string
  sizeBytes: number
  committingUntil: Date | null
  md5: string | null
  digests: ColumnType<Record<string, string> | null, string | null | undefined, string | null>
  storeEtag: string | null
  isLeftOut: Generated<boolean>
  updatedAt: Generated<Date>
}

/** See docs/explain/life-of-a-file.md §2. */
export type CopyState = 'planned' | 'stored' | 'proved' | 'failed' | 'dropping' | 'dropped'

interface CopyTable {
  fileId: string
  network: string
  reference: string
  blobId: string | null
  ref: JSONColumnType<Record<string, string>>
  state: CopyState
  attempt: Generated<number>
  dueAt: Date | null
  lostAt: Date | null
  claimedUntil: Date | null
  fencingToken: Generated<number>
  unfinishedClaims: Generated<number>
  storedAt: Date | null
  fileSyncedAt: Date | null
  provedAt: Date | null
  checkedAt: Date | null
  checksOk: Generated<number>
  checksFailed: Generated<number>
  leasedAt: Date | null
  leaseExpiresAt: Date | null
  renewDueAt: Date | null
  billedBytes: number | null
}

interface EventTable {
  id: string
  subjectKind: SubjectKind
  subjectId: string
  accountId: string
  type: string
  isPublic: boolean
  at: Generated<Date>
  payload: JSONColumnType<object>
  requestId: string
  traceparent: string
  actor: ColumnType<AuditActor | null, string | null | undefined, string | null>
  clientAddress: Generated<string | null>
  claimedUntil: Date | null
  publishedAt: Date | null
  failedAt: Date | null
  failure: string | null
  expiresAt: Date | null
}

interface LinkTable {
  id: string
  accountId: string
  fileId: string | null
  vaultId: string | null
  prefix: string | null
  digest: Buffer
  passwordHash: string | null
  expiresAt: Date | null
  maxDownloads: number | null
  downloads: Generated<number>
  lastUsedAt: Date | null
  triesUntil: Date | null
  maxFiles: number | null
  maxFileBytes: number | null
  maxBytes: number | null
  mimeTypes: string[] | null
  received: 'review' | 'publish' | null
  files: Generated<number>
  bytes: Generated<number>
  keyId: string | null
  createdAt: Generated<Date>
  revokedAt: Date | null
}

export type LinkRow = Selectable<LinkTable>
export type EventRow = Selectable<EventTable>
export type FileRow = Selectable<FileTable>
export type UploadPartRow = Selectable<UploadPartTable>
export type CopyRow = Selectable<CopyTable>
export type VaultRow = Selectable<VaultTable>
export type AccountRow = Selectable<AccountTable>

export interface Labels {
  metadata?: Record<string, string> | null | undefined
  tags?: readonly string[] | null | undefined
  sealedMetadata?: string | null | undefined
}

/** As JSON; null for no labels. */
export function orNull(labels: Labels['metadata'] | Labels['tags']): string | null {
  return labels == null || Object.keys(labels).length === 0 ? null : JSON.stringify(labels)
}

export const schema = 'files'
export const migrations = new URL('../../migrations/', import.meta.url)
