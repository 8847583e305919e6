// Generated from packages/contracts by `npm run generate`. Do not edit.

/** A caller that may not read files gets `id`, `status`, `deletedAt` and `purgeDueAt` alone */
export type DeletedFile = {
  id: string
  name?: string | undefined
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path?: string | undefined
  mimeType?: string | undefined
  sizeBytes?: number | undefined
  vaultId?: string | undefined
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** Id of the content on the most preferred network that has a copy; null until there is one */
  storageNetworkBlobId?: string | null | undefined
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey?: string | null | undefined
  encryptionIv?: string | null | undefined
  plaintextSizeBytes?: number | null | undefined
  plaintextChecksumSha256?: string | null | undefined
  /** Why the file is in `error`, as a sentence */
  error?: string | null | undefined
  errorCode?: string | null | undefined
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one call */
  checksumSha256?: string | null | undefined
  /** The `storageNetworkBlobId` that the bytes will have, where it is known already */
  expectedBlobId?: string | null | undefined
  /** Whether hot storage has the bytes */
  inHotCache?: boolean | undefined
  /** Whether the bytes are on their way back to hot storage */
  rehydrating?: boolean | undefined
  syncAttempts?: number | undefined
  /** When the first lease of its copies ends; renewed before */
  leaseExpiresAt?: string | null | undefined
  /** When it may leave hot storage */
  hotUntil?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  confirmedAt?: string | null | undefined
  syncedAt?: string | null | undefined
  evictedAt?: string | null | undefined
  deletedAt: string | null
  /** The file that it followed at its path, and that went to the trash for it */
  replaces?: string | null | undefined
  /** In the trash: the file that followed it at its path */
  replacedBy?: string | null | undefined
  metadata?: Record<string, string> | undefined
  tags?: string[] | undefined
  sealedMetadata?: string | null | undefined
  /** When it goes to the trash by itself; null: never */
  expiresAt?: string | null | undefined
  /** Not published yet: only the owner can list and read the file */
  awaitingReview?: boolean | undefined
  /** When it is removed for good; null: at once */
  purgeDueAt: string | null
  /** released: this file’s copies are given up. expires: a network that cannot delete keeps one until `networkCopyExpiresAt` */
  networkCopy?: 'released' | 'expires' | undefined
  /** When the last copy ends */
  networkCopyExpiresAt?: string | null | undefined
  /** The same for each network that has a copy */
  networkCopies?: NetworkCopy[] | undefined
}

/** A caller that may not read files gets the state, the counts and the times of a job. The other fields are null, and `failures` is empty */
export type Job = {
  id: string
  kind: 'move' | 'copy' | 'trash' | 'restore' | 'delete' | 'publish' | 'export'
  /** queued: others of the vault come first. done: at its end, whatever failed. failed: given up before its end. cancelled: nothing changes any more */
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  vaultId: string | null
  /** What it is about */
  prefix: string | null
  /** Where files come to */
  to: string | null
  /** And in which vault; null: their own */
  toVaultId: string | null
  onConflict: 'keep' | 'fail' | 'replace' | null
  /** Files that it has changed so far */
  done: number
  /** Files that it had to leave as they were */
  failed: number
  /** The first 100 of them */
  failures: JobFailure[]
  errorCode: string | null
  /** Why it was given up, as a sentence */
  error: string | null
  /** On whose behalf */
  actor: {
    method: 'api_key' | 'jwt' | 'development' | 'link' | 'operator' | 'system' | 'job'
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s id at the identity provider */
    subject: string | null
    /** With `job`: the one that did it on their behalf */
    jobId?: string | undefined
    /** The link by which somebody without an account did it */
    linkId?: string | undefined
  } | null
  createdAt: string
  startedAt: string | null
  updatedAt: string
  /** When it was over; kept for some time after that */
  finishedAt: string | null
}

/** A caller that may not read links gets `id`, `state` and `revokedAt` alone */
export type RevokedLink = {
  id: string
  /** What one reads by it; `upload`: files are put into the folder, and none is read */
  kind?: 'file' | 'folder' | 'upload' | undefined
  /** Of a link to a file */
  fileId?: string | null | undefined
  /** Of a link to a file: where that is now, also in the trash. Null as well for a caller that may not read links */
  path?: string | null | undefined
  /** Of a link to a folder */
  vaultId?: string | null | undefined
  /** Of a link to a folder: what the paths of its files begin with */
  prefix?: string | null | undefined
  /** Of the link alone: one that is usable leads nowhere while its file or vault is in the trash */
  state: 'usable' | 'spent' | 'expired' | 'revoked'
  hasPassword?: boolean | undefined
  expiresAt?: string | null | undefined
  maxDownloads?: number | null | undefined
  /** Downloads that have begun */
  downloads?: number | undefined
  /** When the last download began */
  lastUsedAt?: string | null | undefined
  /** What a link to put files into the folder takes */
  upload?: {
    maxFiles: number
    /** Of one file; what one call takes is a bound of its own */
    maxFileBytes: number
    /** Of all of them */
    maxBytes: number
    /** Types as whoever sends a file says, such as `image/*`; null: any */
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them at once */
    received: 'review' | 'publish'
    /** Taken so far */
    files: number
    bytes: number
  } | null | undefined
  /** The API key that it was made with */
  keyId?: string | null | undefined
  createdAt?: string | undefined
  revokedAt: string | null
}

/** A caller that may not read vaults gets `id` and `deletedAt` alone */
export type WrittenVault = {
  id: string
  name?: string | undefined
  description?: string | undefined
  visibility?: 'public' | 'private' | undefined
  slug?: string | undefined
  isDefault?: boolean | undefined
  /** Made by an export, whose files it holds: private, but not encrypted by a client */
  isExport?: boolean | undefined
  fileCount?: number | undefined
  storageBytes?: number | undefined
  filesExpireAfterSeconds?: number | null | undefined
  /** Of a private vault: which key its clients encrypt under, if one has said so; it tells nothing of the key */
  keyId?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  deletedAt?: string | null | undefined
}

/** Without the right to read files only `id` and `status`, except in the confirm of an own upload */
export type WrittenFile = {
  id: string
  name?: string | undefined
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path?: string | undefined
  mimeType?: string | undefined
  sizeBytes?: number | undefined
  vaultId?: string | undefined
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** Id of the content on the most preferred network that has a copy; null until there is one */
  storageNetworkBlobId?: string | null | undefined
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey?: string | null | undefined
  encryptionIv?: string | null | undefined
  plaintextSizeBytes?: number | null | undefined
  plaintextChecksumSha256?: string | null | undefined
  /** Why the file is in `error`, as a sentence */
  error?: string | null | undefined
  errorCode?: string | null | undefined
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one call */
  checksumSha256?: string | null | undefined
  /** The `storageNetworkBlobId` that the bytes will have, where it is known already */
  expectedBlobId?: string | null | undefined
  /** Whether hot storage has the bytes */
  inHotCache?: boolean | undefined
  /** Whether the bytes are on their way back to hot storage */
  rehydrating?: boolean | undefined
  syncAttempts?: number | undefined
  /** When the first lease of its copies ends; renewed before */
  leaseExpiresAt?: string | null | undefined
  /** When it may leave hot storage */
  hotUntil?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  confirmedAt?: string | null | undefined
  syncedAt?: string | null | undefined
  evictedAt?: string | null | undefined
  deletedAt?: string | null | undefined
  /** The file that it followed at its path, and that went to the trash for it */
  replaces?: string | null | undefined
  /** In the trash: the file that followed it at its path */
  replacedBy?: string | null | undefined
  metadata?: Record<string, string> | undefined
  tags?: string[] | undefined
  sealedMetadata?: string | null | undefined
  /** When it goes to the trash by itself; null: never */
  expiresAt?: string | null | undefined
  /** Not published yet: only the owner can list and read the file */
  awaitingReview?: boolean | undefined
}

export type Account = {
  id: string
  createdAt: string
  /** The caller is an operator of the installation and may use `/api/operator`. Never by an API key */
  isOperator?: true | undefined
  usage: {
    storageBytes: number
    hotBytes: number
    fileCount: number
    vaultCount: number
    /** Storage networks that have copies of your files, in the order in which they are read */
    networks: Array<{
      network: string
      copies: number
      /** What the network bills for them: more than the bytes of the files */
      billedBytes: number
    }>
  }
  limits: {
    maxPutBytes: number
    maxFileBytes: number
    quotaBytes: number | null
    openUploadsMax: number
  }
}

export type AccountEvent = {
  actor: {
    method: 'api_key' | 'jwt' | 'development' | 'link' | 'operator' | 'system' | 'job'
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s id at the identity provider */
    subject: string | null
    /** With `job`: the one that did it on their behalf */
    jobId?: string | undefined
    /** The link by which somebody without an account did it */
    linkId?: string | undefined
  }
  /** IP address, as the gateway saw it */
  clientAddress: string | null
  /** Null where no request did it */
  requestId: string | null
  id: string
  kind: 'account.created' | 'key.created' | 'key.revoked' | 'key.rotated' | 'key.shortened' | 'webhook.created' | 'webhook.changed' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated'
  /** The account, key or webhook concerned */
  subjectId: string
  at: string
  details: Record<string, string | number | boolean | null | string[]>
}

export type ApiKey = {
  id: string
  name: string
  keyPrefix: string
  /** The key that it was made with; null: it was made with a login */
  parentId: string | null
  scopes: Array<'vaults:read' | 'vaults:write' | 'files:read' | 'files:write' | 'links:read' | 'links:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'account:read'> | null
  limits: ApiKeyLimits | null
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revoked_at: string | null
}

export type ApiKeyLimits = {
  /** The key sees these vaults and the files in them, as if there were no others */
  vaultIds: string[] | null
  /** The key sees the files whose paths begin with one of these, in each vault that it sees */
  prefixes: string[] | null
  /** What it may do with files and vaults */
  verbs: Array<'read' | 'upload' | 'change' | 'delete' | 'share'> | null
  /** Bytes of requested uploads and of files whose download URLs were asked for, in a day (UTC), with all keys that are made with it */
  bytesPerDay: number | null
  /** Addresses or networks that it may be used from */
  addresses: string[] | null
}

export type CancelJobInput = {
  jobId: string
}

export type CancelRunInput = {
  runId: string
}

export type ConfirmUploadInput = {
  fileId: string
}

export type CopyFilesInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids?: string[] | undefined
  /** All files whose path begins so, by a job; a folder */
  prefix?: string | undefined
  /** The folder of the copies, with a slash at its end; empty: none */
  to: string
  /** Another vault of the same visibility */
  toVaultId?: string | undefined
  /** When the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the file there, which goes to the trash */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
}

export type CreateApiKeyInput = {
  name: string
  /** Omitted or null: all scopes */
  scopes?: Array<'vaults:read' | 'vaults:write' | 'files:read' | 'files:write' | 'links:read' | 'links:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'account:read'> | null | undefined
  /** Omitted or null: none, or those of the key that it is made with. One of another name is refused */
  limits?: {
    /** The key sees these vaults and the files in them, as if there were no others */
    vaultIds?: string[] | null | undefined
    /** The key sees the files whose paths begin with one of these, in each vault that it sees */
    prefixes?: string[] | null | undefined
    /** What it may do with files and vaults */
    verbs?: Array<'read' | 'upload' | 'change' | 'delete' | 'share'> | null | undefined
    /** Bytes of requested uploads and of files whose download URLs were asked for, in a day (UTC), with all keys that are made with it */
    bytesPerDay?: number | null | undefined
    /** Addresses or networks that it may be used from */
    addresses?: string[] | null | undefined
  } | null | undefined
  /** Omitted or null: does not end, or with the key that it is made with */
  expiresInDays?: number | null | undefined
}

export type CreateDownloadUrlsAnswer = {
  urls: DownloadUrl[]
}

export type CreateDownloadUrlsInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids: string[]
}

export type CreateFileLinkInput = {
  fileId: string
  /** Asked of whoever opens the link; we keep its Argon2id hash */
  password?: string | null | undefined
  /** Omitted or null: until it is revoked */
  expiresInSeconds?: number | null | undefined
  /** Omitted or null: any number */
  maxDownloads?: number | null | undefined
}

export type CreateFolderLinkInput = {
  vaultId: string
  /** A folder with a slash at its end, or empty */
  prefix: string
  /** Asked of whoever opens the link; we keep its Argon2id hash */
  password?: string | null | undefined
  /** Omitted or null: until it is revoked */
  expiresInSeconds?: number | null | undefined
  /** Omitted or null: any number */
  maxDownloads?: number | null | undefined
  /** Makes a link by which files are put into the folder, and nothing is read. Of public vaults */
  upload?: {
    maxFiles: number
    /** Of one file; what one call takes is a bound of its own */
    maxFileBytes: number
    /** Of all of them */
    maxBytes: number
    /** Omitted or null: any */
    mimeTypes?: string[] | null | undefined
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them at once */
    received?: 'review' | 'publish' | undefined
  } | null | undefined
}

export type CreateVaultInput = {
  /** The id that it gets, which nobody may have or have had: a UUIDv7. Made by the service unless sent */
  id?: string | null | undefined
  name: string
  visibility: 'public' | 'private'
  description?: string | undefined
  /** How long after its request a new file goes to the trash by itself, unless that says otherwise; null: never */
  filesExpireAfterSeconds?: number | null | undefined
}

export type CreateWebhookInput = {
  url: string
  events: Array<'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'>
}

export type CreatedApiKey = {
  id: string
  name: string
  keyPrefix: string
  /** The key that it was made with; null: it was made with a login */
  parentId: string | null
  scopes: Array<'vaults:read' | 'vaults:write' | 'files:read' | 'files:write' | 'links:read' | 'links:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'account:read'> | null
  limits: ApiKeyLimits | null
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revoked_at: string | null
  key: string
}

export type CreatedLink = {
  id: string
  /** What one reads by it; `upload`: files are put into the folder, and none is read */
  kind: 'file' | 'folder' | 'upload'
  /** Of a link to a file */
  fileId: string | null
  /** Of a link to a file: where that is now, also in the trash. Null as well for a caller that may not read links */
  path: string | null
  /** Of a link to a folder */
  vaultId: string | null
  /** Of a link to a folder: what the paths of its files begin with */
  prefix: string | null
  /** Of the link alone: one that is usable leads nowhere while its file or vault is in the trash */
  state: 'usable' | 'spent' | 'expired' | 'revoked'
  hasPassword: boolean
  expiresAt: string | null
  maxDownloads: number | null
  /** Downloads that have begun */
  downloads: number
  /** When the last download began */
  lastUsedAt: string | null
  /** What a link to put files into the folder takes */
  upload: {
    maxFiles: number
    /** Of one file; what one call takes is a bound of its own */
    maxFileBytes: number
    /** Of all of them */
    maxBytes: number
    /** Types as whoever sends a file says, such as `image/*`; null: any */
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them at once */
    received: 'review' | 'publish'
    /** Taken so far */
    files: number
    bytes: number
  } | null
  /** The API key that it was made with */
  keyId: string | null
  createdAt: string
  revokedAt: string | null
  /** The page for people. The token in it is in this answer alone: we keep its hash */
  url: string
  /** The bytes; of a folder, what the paths of its files are put behind */
  contentUrl: string
}

export type CreatedWebhook = {
  id: string
  url: string
  events: Array<'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'>
  active: boolean
  createdAt: string
  updatedAt: string
  disabledReason: string | null
  consecutiveFailures: number
  secret: string
}

export type DeadDelivery = {
  id: string
  webhookId: string
  accountId: string
  /** The event’s type */
  event: string
  attempts: number
  /** HTTP status of the last attempt; 0 if nothing answered */
  statusCode: number
  error: string | null
  /** When it was given up */
  since: string
  /** Whether its webhook is switched on; nothing is sent to one that is not */
  active: boolean
}

export type DeadLetter = {
  kind: 'files' | 'copies' | 'events'
  /** The file, or the event */
  id: string
  accountId: string
  /** The file’s */
  status: string | null
  /** The file’s */
  sizeBytes: number | null
  /** The copy’s */
  network: string | null
  /** Of a file in error: what the rows say of its copies; `lost`: planned anew since */
  copies: Array<{
    network: string
    state: string
  }> | null
  /** The event’s type */
  event: string | null
  /** Why it was given up: a word of the table of errors, or a sentence */
  reason: string | null
  since: string | null
}

export type DeleteFileInput = {
  fileId: string
  permanent?: boolean | undefined
}

export type DeleteFilesInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids?: string[] | undefined
  /** All files whose path begins so, by a job */
  prefix?: string | undefined
  /** With `prefix`: those in the trash, instead of the others */
  trashed?: boolean | undefined
}

export type DeleteVaultInput = {
  vaultId: string
  force?: boolean | undefined
}

export type DeleteWebhookInput = {
  webhookId: string
}

export type Download = {
  downloadUrl: string
  expiresAt: string
  source: 'hot' | 'network'
}

export type DownloadFileInput = {
  fileId: string
  /** `attachment`: browsers save the file under its name, also where they could show it */
  disposition?: 'attachment' | undefined
}

export type DownloadUrl = {
  fileId: string
  /** Why there is no URL; null: there is */
  code: 'not_found' | 'upload_not_confirmed' | 'path_taken' | 'path_too_long' | 'state_conflict' | 'content_lost' | 'quota_exceeded' | null
  downloadUrl: string | null
  expiresAt: string | null
  source: 'hot' | 'network' | null
}

export type EmptyTrashAnswer = {
  /** Files deleted on their own */
  purgedFiles: number
  /** Vaults, with all their files */
  purgedVaults: number
}

export type ExportAccountInput = {
  /** How long after its request a new file goes to the trash by itself, unless that says otherwise; null: never */
  filesExpireAfterSeconds?: number | null | undefined
  target?: ExportTarget | undefined
}

export type ExportTarget = {
  type: 's3'
  /** Of the S3 service, e.g. `https://s3.example`; AWS unless told */
  endpoint?: string | undefined
  region?: string | undefined
  bucket: string
  /** Objects are put in a folder of their own below it */
  prefix?: string | undefined
  /** `<endpoint>/<bucket>/<key>` instead of a host name for the bucket; unless told, where there is an endpoint */
  forcePathStyle?: boolean | undefined
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export type FileCopy = {
  /** The network’s name in this installation */
  network: string
  /** Its kind, e.g. `embedded`; null if it is no longer configured */
  driver: string | null
  /** Set once stored; stays afterwards */
  blobId: string | null
  /** planned: to be stored. stored: on the network. proved: read back in full, bytes verified. lost: no longer on the network, being stored again. failed: given up until a retry. dropping, dropped: removed on purpose */
  state: 'planned' | 'lost' | 'stored' | 'proved' | 'failed' | 'dropping' | 'dropped'
  storedAt: string | null
  /** When it was last read back in full */
  provedAt: string | null
  /** When it was last checked */
  checkedAt: string | null
  /** Checks that passed and failed, proofs included */
  checks: {
    ok: number
    failed: number
  }
  /** Renewed before it ends; null if kept without a term */
  leaseExpiresAt: string | null
}

export type FileCopyPayload = {
  event: 'file.copied' | 'file.copy_lost'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name, of a file that is in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Of a file that has any */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Of a file that goes to the trash by itself then */
    expiresAt?: string | undefined
    /** The file that it followed at its path */
    replaces?: string | undefined
    /** The file that followed it at its path */
    replacedBy?: string | undefined
    /** The network’s name in this installation */
    network: string
    /** Why it was lost */
    reason?: string | undefined
  }
}

export type FileEvent = {
  actor: {
    method: 'api_key' | 'jwt' | 'development' | 'link' | 'operator' | 'system' | 'job'
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s id at the identity provider */
    subject: string | null
    /** With `job`: the one that did it on their behalf */
    jobId?: string | undefined
    /** The link by which somebody without an account did it */
    linkId?: string | undefined
  }
  /** IP address, as the gateway saw it */
  clientAddress: string | null
  /** Null where no request did it */
  requestId: string | null
  id: string
  /** e.g. `file.deleted`, `vault.changed`, as in timelines; more may come */
  kind: string
  /** `account`: all of its files, as of an export to a bucket, or a job of the account */
  subject: 'file' | 'vault' | 'account'
  /** The file or vault concerned, which may be gone, or the account */
  subjectId: string
  at: string
  /** What it was then, or what changed */
  details: Record<string, string | number | boolean | null | string[] | Record<string, string>>
}

export type FileRecord = {
  id: string
  name: string
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path: string
  mimeType: string
  sizeBytes: number
  vaultId: string
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** Id of the content on the most preferred network that has a copy; null until there is one */
  storageNetworkBlobId: string | null
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey: string | null
  encryptionIv: string | null
  plaintextSizeBytes: number | null
  plaintextChecksumSha256: string | null
  /** Why the file is in `error`, as a sentence */
  error: string | null
  errorCode: string | null
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one call */
  checksumSha256: string | null
  /** The `storageNetworkBlobId` that the bytes will have, where it is known already */
  expectedBlobId: string | null
  /** Whether hot storage has the bytes */
  inHotCache: boolean
  /** Whether the bytes are on their way back to hot storage */
  rehydrating: boolean
  syncAttempts: number
  /** When the first lease of its copies ends; renewed before */
  leaseExpiresAt: string | null
  /** When it may leave hot storage */
  hotUntil: string | null
  createdAt: string
  updatedAt: string
  confirmedAt: string | null
  syncedAt: string | null
  evictedAt: string | null
  deletedAt: string | null
  /** The file that it followed at its path, and that went to the trash for it */
  replaces: string | null
  /** In the trash: the file that followed it at its path */
  replacedBy: string | null
  metadata: Record<string, string>
  tags: string[]
  sealedMetadata: string | null
  /** When it goes to the trash by itself; null: never */
  expiresAt: string | null
  /** Not published yet: only the owner can list and read the file */
  awaitingReview: boolean
}

export type FileRemovalPayload = {
  event: 'file.deleted' | 'file.restored' | 'file.purged'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name, of a file that is in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Of a file that has any */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Of a file that goes to the trash by itself then */
    expiresAt?: string | undefined
    /** The file that it followed at its path */
    replaces?: string | undefined
    /** The file that followed it at its path */
    replacedBy?: string | undefined
    /** `file.deleted` of a file whose own time was over */
    reason?: 'expired' | undefined
  }
}

export type FileResult = {
  fileId: string
  /** Why it was left as it was; null: done */
  code: 'not_found' | 'upload_not_confirmed' | 'path_taken' | 'path_too_long' | 'state_conflict' | 'content_lost' | 'quota_exceeded' | null
}

export type Folder = {
  /** With a slash at its end: the `prefix` of what is in it */
  path: string
}

export type ForgetFolderInput = {
  vaultId: string
  /** Folders and name, percent-encoded; slashes as they are or as %2F */
  path: string
}

export type JobFailure = {
  fileId: string
  path: string
  code: 'not_found' | 'upload_not_confirmed' | 'path_taken' | 'path_too_long' | 'state_conflict' | 'content_lost' | 'quota_exceeded'
}

export type KeepFolderInput = {
  vaultId: string
  /** Folders and name, percent-encoded; slashes as they are or as %2F */
  path: string
}

export type LeasePayload = {
  event: 'file.lease_expiring'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name, of a file that is in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Of a file that has any */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Of a file that goes to the trash by itself then */
    expiresAt?: string | undefined
    /** The file that it followed at its path */
    replaces?: string | undefined
    /** The file that followed it at its path */
    replacedBy?: string | undefined
    /** The network’s name in this installation */
    network: string
    /** Why it was lost */
    reason?: string | undefined
    leaseExpiresAt: string
  }
}

export type Link = {
  id: string
  /** What one reads by it; `upload`: files are put into the folder, and none is read */
  kind: 'file' | 'folder' | 'upload'
  /** Of a link to a file */
  fileId: string | null
  /** Of a link to a file: where that is now, also in the trash. Null as well for a caller that may not read links */
  path: string | null
  /** Of a link to a folder */
  vaultId: string | null
  /** Of a link to a folder: what the paths of its files begin with */
  prefix: string | null
  /** Of the link alone: one that is usable leads nowhere while its file or vault is in the trash */
  state: 'usable' | 'spent' | 'expired' | 'revoked'
  hasPassword: boolean
  expiresAt: string | null
  maxDownloads: number | null
  /** Downloads that have begun */
  downloads: number
  /** When the last download began */
  lastUsedAt: string | null
  /** What a link to put files into the folder takes */
  upload: {
    maxFiles: number
    /** Of one file; what one call takes is a bound of its own */
    maxFileBytes: number
    /** Of all of them */
    maxBytes: number
    /** Types as whoever sends a file says, such as `image/*`; null: any */
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them at once */
    received: 'review' | 'publish'
    /** Taken so far */
    files: number
    bytes: number
  } | null
  /** The API key that it was made with */
  keyId: string | null
  createdAt: string
  revokedAt: string | null
}

export type LinkContentInput = {
  /** What follows `/s/` in the link */
  token: string
  /** Shown by the page of the link, and no download; without effect where downloads are bounded */
  preview?: string | undefined
}

export type LinkedContentInput = {
  /** What follows `/s/` in the link */
  token: string
  /** Folders and name, percent-encoded; slashes as they are or as %2F */
  path: string
  /** Shown by the page of the link, and no download; without effect where downloads are bounded */
  preview?: string | undefined
}

export type LinkedFile = {
  /** Below the folder that the link leads to; of a link to a file, its name */
  path: string
  mimeType: string
  sizeBytes: number
  checksumSha256: string | null
  encryptionIv: string | null
  plaintextSizeBytes: number | null
  plaintextChecksumSha256: string | null
}

export type ListAccountEventsAnswer = {
  events: AccountEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListAccountEventsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  kind?: 'account.created' | 'key.created' | 'key.revoked' | 'key.rotated' | 'key.shortened' | 'webhook.created' | 'webhook.changed' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | undefined
  /** At this time or later */
  after?: string | undefined
  /** Before this time */
  before?: string | undefined
}

export type ListApiKeysAnswer = {
  apiKeys: ApiKey[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListApiKeysInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  sortBy?: 'createdAt' | 'name' | undefined
  order?: 'asc' | 'desc' | undefined
  includeRevoked?: boolean | undefined
}

export type ListDeadDeliveriesAnswer = {
  deadLetters: DeadDelivery[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListDeadDeliveriesInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** For so long at least */
  olderThanSeconds?: number | undefined
}

export type ListDeadLettersAnswer = {
  deadLetters: DeadLetter[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListDeadLettersInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  kind: 'files' | 'copies' | 'events'
  /** Given up for this reason only */
  error?: string | undefined
  /** For so long at least */
  olderThanSeconds?: number | undefined
}

export type ListDeliveriesAnswer = {
  deliveries: WebhookDelivery[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListDeliveriesInput = {
  webhookId: string
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  success?: boolean | undefined
  event?: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored' | undefined
}

export type ListFileEventsAnswer = {
  events: FileEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListFileEventsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** A file or a vault, also one that is gone */
  subjectId?: string | undefined
  kind?: string | undefined
  /** Done with this API key */
  keyId?: string | undefined
  /** At this time or later */
  after?: string | undefined
  /** Before this time */
  before?: string | undefined
}

export type ListFileLinksAnswer = {
  links: Link[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListFileLinksInput = {
  fileId: string
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListFilesAnswer = {
  files: FileRecord[]
  /** With `delimiter`: the folders of this page, in the same order */
  folders?: Folder[] | undefined
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListFilesInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `path` where `prefix` or `delimiter` is given, else `createdAt`; `path` is of one vault, in the order of bytes */
  sortBy?: 'createdAt' | 'name' | 'path' | undefined
  /** `asc` by path, else `desc` */
  order?: 'asc' | 'desc' | undefined
  /** What paths begin with, e.g. `2026/photos/` */
  prefix?: string | undefined
  /** Tell the folders right behind `prefix` once each, in place of the files in them */
  delimiter?: '/' | undefined
  /** May be repeated: all of them */
  tag?: string | string[] | undefined
  vaultId?: string | undefined
  /** May be repeated */
  status?: 'uploading' | 'hot' | 'synced' | 'cold' | 'error' | Array<'uploading' | 'hot' | 'synced' | 'cold' | 'error'> | undefined
  /** List what is in the trash instead */
  trashed?: boolean | undefined
  /** `true`: only files that await review. `false`: only the others */
  awaitingReview?: boolean | undefined
  /** A media type, all subtypes of one (`image/*`), or `*\/*`. Compared without parameters unless it has some */
  mimeType?: string | undefined
  /** Part of the name, in any case */
  q?: string | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}

export type ListFolderLinksAnswer = {
  links: Link[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListFolderLinksInput = {
  vaultId: string
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListJobsAnswer = {
  jobs: Job[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListJobsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListLinksAnswer = {
  links: Link[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListLinksInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** Made with this API key */
  keyId?: string | undefined
}

export type ListOperatorEventsAnswer = {
  events: OperatorEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListOperatorEventsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListOperatorWebhookEventsAnswer = {
  events: OperatorEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListOperatorWebhookEventsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListRunsAnswer = {
  runs: OperatorRun[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListRunsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListTrashAnswer = {
  files: TrashedFile[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListTrashInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  sortBy?: 'createdAt' | 'name' | undefined
  order?: 'asc' | 'desc' | undefined
}

export type ListUploadedPartsAnswer = {
  partSizeBytes: number | null
  partCount: number
  /** The parts that have arrived, by number; a part sent again appears as it is now */
  parts: Array<{
    partNumber: number
    sizeBytes: number
  }>
}

export type ListUploadedPartsInput = {
  fileId: string
}

export type ListVaultsAnswer = {
  vaults: Vault[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListVaultsInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  sortBy?: 'createdAt' | 'name' | undefined
  order?: 'asc' | 'desc' | undefined
  /** List what is in the trash instead */
  trashed?: boolean | undefined
}

export type ListWebhooksAnswer = {
  webhooks: Webhook[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ListWebhooksInput = {
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  order?: 'asc' | 'desc' | undefined
}

export type ManyFiles = {
  /** With `ids`: one for each, in their order */
  results: FileResult[] | null
  /** With `prefix`, and of copies: the job, which goes on by itself */
  job: Job | null
}

export type MoveFilesInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids?: string[] | undefined
  /** All files whose path begins so, by a job; a folder */
  prefix?: string | undefined
  /** The folder that they come to, with a slash at its end; empty: none */
  to: string
  /** Another vault of the same visibility */
  toVaultId?: string | undefined
  /** When the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the file there, which goes to the trash */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
}

export type NetworkCopy = {
  network: string
  outcome: 'released' | 'expires'
  expiresAt: string | null
}

export type OpenedLink = {
  kind: 'file' | 'folder' | 'upload'
  /** Of the file or the folder */
  name: string
  /** The bytes are those that a client encrypted, whose key is not here */
  isEncrypted: boolean
  expiresAt: string | null
  /** Null: any number */
  downloadsLeft: number | null
  /** Of a link to put files there */
  takes: {
    filesLeft: number
    /** Of the next file */
    maxFileBytes: number
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them at once */
    received: 'review' | 'publish'
  } | null
  files: LinkedFile[]
  folders: Folder[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type OperatorCircuit = {
  service: string
  /** Tells processes of a service apart */
  process: string
  /** A network, or `hot_tier`: the bucket and Postgres */
  needs: string
  openedAt: string
}

export type OperatorEvent = {
  id: string
  at: string
  /** What was asked for, e.g. `redrive`; more may come */
  kind: string
  /** Of the operator */
  accountId: string
  /** The operator’s id at the identity provider */
  subject: string | null
  clientAddress: string | null
  /** The logs of the accounts concerned have it too */
  requestId: string
  details: Record<string, string | number | boolean | null>
}

export type OperatorNetwork = {
  name: string
  /** Null: not configured */
  driver: string | null
  /** Null: not configured, and there are copies */
  role: 'required' | 'leaving' | null
  /** Null: not configured, or it has not answered yet */
  works: boolean | null
  /** Why it does not, as a word, where that is known */
  fault: string | null
  /** Of its volume */
  freeBytes: number | null
  totalBytes: number | null
  /** Free bytes below which it takes no more copies */
  reserveBytes: number | null
  copiesLeft: number | null
  copiesLost: number | null
}

export type OperatorOverview = {
  /** When the figures were taken; they are seconds to minutes old */
  takenAt: string | null
  /** Files outside the trash by their status */
  files: {
    uploading: number
    hot: number
    synced: number
    cold: number
    error: number
  } | null
  /** How long ago the oldest came into its status; 0 when there is none */
  oldestSeconds: {
    uploading: number
    hot: number
    synced: number
    error: number
  } | null
  hotBytes: number | null
  /** How long the work that waits longest has been due in each queue; 0 when none is */
  due: Array<{
    /** e.g. `evict`, `store-disk-a` */
    queue: string
    oldestSeconds: number
  }> | null
  /** The most attempts in a row at one file that ended without an outcome */
  unfinishedClaimsMax: number | null
  copies: Array<{
    network: string
    /** Not gone yet from a network that no file is to be on any more; up to 1,000,000 */
    left: number | null
    /** Lost there, and not stored again yet: those files have a copy less; up to 1,000,000 */
    lost: number | null
  }> | null
  /** What was given up; deliveries of webhooks are not counted */
  deadLetters: {
    /** Files in error */
    files: number | null
    /** Permanently failed copies of otherwise healthy files, up to 10,000 */
    copies: number | null
    /** Events that break their contract, up to 100,000 */
    events: number | null
  }
  events: {
    /** Up to 100,000 */
    unpublished: number
    oldestSeconds: number
    resendLeftSeconds: number
  } | null
  jobs: {
    /** Up to 100,000 */
    open: number
    oldestSeconds: number
  } | null
  /** Files whose row breaks a promise, by the promise */
  violations: Record<string, number> | null
}

export type OperatorRun = {
  id: string
  kind: 'reconcile' | 'verify'
  /** failed: given up, `error` says why; `place` is where another one may begin */
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  dryRun: boolean
  after: string | null
  sample: number | null
  network: string | null
  /** How far it is: after this file; of a sample, how many files are left */
  place: string | null
  /** What was found, by the words of `operator reconcile` and `operator verify` */
  counts: Record<string, number>
  /** The first 200 files that are not as they should be, and what was done about each */
  findings: Array<Record<string, string>>
  /** Why it failed last, also while it is tried again */
  error: string | null
  /** Of the operator who started it */
  accountId: string
  subject: string | null
  createdAt: string
  startedAt: string | null
  updatedAt: string
  finishedAt: string | null
}

export type PublicBlobBytesInput = {
  blobId: string
}

export type PublicContentInput = {
  userId: string
  vaultSlug: string
  /** Folders and name, percent-encoded; slashes as they are or as %2F */
  path: string
}

export type PublicFile = {
  id: string
  name: string
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path: string
  mimeType: string
  sizeBytes: number
  vaultId: string
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** Id of the content on the most preferred network that has a copy; null until there is one */
  storageNetworkBlobId: string | null
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one call */
  checksumSha256: string | null
  createdAt: string
  metadata: Record<string, string>
  tags: string[]
}

export type PublicFileBytesInput = {
  fileId: string
}

export type PublicVault = {
  id: string
  name: string
  description: string
  slug: string
}

export type PublicVaultAnswer = {
  vault: PublicVault
  files: PublicFile[]
  folders?: Folder[] | undefined
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type PublicVaultInput = {
  userId: string
  vaultSlug: string
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** `path` where `prefix` or `delimiter` is given, else `createdAt`; `path` is of one vault, in the order of bytes */
  sortBy?: 'createdAt' | 'name' | 'path' | undefined
  /** `asc` by path, else `desc` */
  order?: 'asc' | 'desc' | undefined
  /** What paths begin with, e.g. `2026/photos/` */
  prefix?: string | undefined
  /** Tell the folders right behind `prefix` once each, in place of the files in them */
  delimiter?: '/' | undefined
}

export type PublishFilesInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids?: string[] | undefined
  /** All files whose path begins so, by a job */
  prefix?: '' | string | undefined
}

export type ReadApiKeyInput = {
  apiKeyId: string
}

export type ReadArchiveInput = {
  vaultId: string
  /** What paths begin with, e.g. `2026/photos/` */
  prefix?: string | undefined
}

export type ReadContentInput = {
  vaultId: string
  /** Folders and name, percent-encoded; slashes as they are or as %2F */
  path: string
  /** Answer a URL that needs no credentials, in place of the bytes */
  download?: '' | 'true' | 'false' | undefined
}

export type ReadCopiesAnswer = {
  copies: FileCopy[]
}

export type ReadCopiesInput = {
  fileId: string
}

export type ReadDeliveryInput = {
  webhookId: string
  deliveryId: string
}

export type ReadFileInput = {
  fileId: string
}

export type ReadJobInput = {
  jobId: string
}

export type ReadLinkInput = {
  linkId: string
}

export type ReadManifestInput = {
  /** Of a line of a manifest that was cut: what is answered goes on behind it */
  cursor?: string | undefined
}

export type ReadOperatorNetworksAnswer = {
  /** In the order in which they are preferred */
  networks: OperatorNetwork[]
  hotTier: {
    works: boolean
  }
  /** Workers that take no work now because of what they need; told within seconds */
  openCircuits: OperatorCircuit[]
}

export type ReadRunInput = {
  runId: string
}

export type ReadTimelineAnswer = {
  timeline: TimelineEntry[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type ReadTimelineInput = {
  fileId: string
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ReadUploadCostInput = {
  sizeBytes: number
  vaultId: string
}

export type ReadUsageAnswer = {
  days: UsageDay[]
}

export type ReadUsageInput = {
  /** The first day, in UTC; 29 before the last unless given */
  from?: string | undefined
  /** The last day; today unless given */
  to?: string | undefined
}

export type ReadVaultInput = {
  vaultId: string
}

export type ReadVaultUsageAnswer = {
  days: VaultUsageDay[]
}

export type ReadVaultUsageInput = {
  vaultId: string
  /** The first day, in UTC; 29 before the last unless given */
  from?: string | undefined
  /** The last day; today unless given */
  to?: string | undefined
}

export type ReadWebhookFeedAnswer = {
  deliveries: WebhookFeedDelivery[]
  /** Where the next answer goes on */
  cursor: string
}

export type ReadWebhookFeedInput = {
  webhookId: string
  /** Items per page; more than 100 is clamped */
  limit?: number | undefined
  /** `cursor` of the answer before */
  cursor?: string | undefined
  /** How long the answer waits where there is nothing to tell, 20 at most */
  waitSeconds?: number | undefined
}

export type ReadWebhookInput = {
  webhookId: string
}

export type RedeliverInput = {
  webhookId: string
  deliveryId: string
}

export type RedriveDeadLettersAnswer = {
  redriven: Redriven[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type RedriveDeadLettersInput = {
  /** With the filters; `fileIds` are tried as they are */
  kind?: 'files' | 'copies' | undefined
  fileIds?: string[] | undefined
  /** Given up for this reason only */
  error?: string | undefined
  /** For so long at least */
  olderThanSeconds?: number | undefined
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  dryRun?: boolean | undefined
}

export type RedriveDeliveriesAnswer = {
  redriven: RedrivenDelivery[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or even empty */
  nextCursor: string | null
}

export type RedriveDeliveriesInput = {
  deliveryIds?: string[] | undefined
  /** For so long at least */
  olderThanSeconds?: number | undefined
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  dryRun?: boolean | undefined
}

export type Redriven = {
  fileId: string
  accountId: string | null
  /** Why it was given up */
  reason: string | null
  since: string | null
  /** would_be_tried: a dry run. retried: it goes on. settling: work on it may not have ended, try later. wrong_bytes: for ever. no_bytes: until they are restored. changed: somebody was quicker. not_found: not there, or in the trash */
  outcome: 'would_be_tried' | 'retried' | 'settling' | 'not_in_error' | 'wrong_bytes' | 'no_bytes' | 'changed' | 'not_found'
}

export type RedrivenDelivery = {
  deliveryId: string
  accountId: string | null
  /** Why it was given up */
  error: string | null
  since: string | null
  /** would_be_tried: a dry run. planned: one more attempt, at most ten a second of a webhook. switched_off: its webhook is. not_given_up: it arrived, or is still to be sent. changed: somebody was quicker */
  outcome: 'would_be_tried' | 'planned' | 'switched_off' | 'not_given_up' | 'changed' | 'not_found'
}

export type RehydrateFileInput = {
  fileId: string
}

export type RenewUploadUrlsAnswer = {
  fileId: string
  method: 'PUT'
  /** Send all of them. With `put: once` also `Content-Length` and `If-None-Match` */
  headers: {
    "Content-Type": string
    [name: string]: string
  }
  expiresAt: string
  parts: UploadPart[]
}

export type RenewUploadUrlsInput = {
  fileId: string
  partNumbers: number[]
}

export type RequestUploadAnswer = {
  fileId: string
  /** PUT the bytes here before `expiresAt`, with exactly these `headers` */
  uploadUrl: string
  method: 'PUT'
  /** Send all of them. With `put: once` also `Content-Length` and `If-None-Match` */
  headers: {
    "Content-Type": string
    [name: string]: string
  }
  expiresAt: string
  /** With `partSizeBytes`: the first 1,000 parts. `uploadUrl` is the URL of the first */
  parts?: UploadPart[] | undefined
}

export type RequestUploadInput = {
  /** The id that it gets, which nobody may have or have had: a UUIDv7. Made by the service unless sent */
  id?: string | null | undefined
  /** Or `path` */
  name?: string | undefined
  /** In place of `name`: folders and the name */
  path?: string | undefined
  /** When the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the file there, which goes to the trash; decided by the confirm */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
  metadata?: Record<string, string> | null | undefined
  tags?: string[] | null | undefined
  sealedMetadata?: string | null | undefined
  /** When it goes to the trash by itself; null: never, left out: as its vault says */
  expiresAt?: string | null | undefined
  /** Hides the file from all but the owner until it is published */
  awaitingReview?: boolean | null | undefined
  mimeType: string
  sizeBytes: number
  vaultId: string
  wrappedKey?: string | null | undefined
  encryptionIv?: string | null | undefined
  plaintextSizeBytes?: number | null | undefined
  plaintextChecksumSha256?: string | null | undefined
  /** SHA-256 of the bytes you will PUT; verified when they are copied */
  checksumSha256?: string | null | undefined
  /** Upload in parts of this size, the last one smaller. Omitted: one PUT */
  partSizeBytes?: number | null | undefined
  /** Should you not confirm, it is done for you once all bytes are there: looked at after a minute, then ever more rarely, and when the upload would end */
  autoConfirm?: boolean | null | undefined
  /** You send all `headers` of the answer, which are then more: the bytes go to the store as one object that no later PUT changes. Not with `partSizeBytes` */
  put?: 'once' | null | undefined
}

export type RestoreFileInput = {
  fileId: string
}

export type RestoreFilesInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids?: string[] | undefined
  /** All files whose path begins so, by a job */
  prefix?: '' | string | undefined
  /** With `prefix`: only what went to the trash then or later, such as `createdAt` of the job that put it there */
  trashedSince?: string | undefined
}

export type RestoreVaultInput = {
  vaultId: string
}

export type RetryFileInput = {
  fileId: string
}

export type RevokeApiKeyInput = {
  apiKeyId: string
}

export type RevokeLinkInput = {
  linkId: string
}

export type RotateApiKeyInput = {
  apiKeyId: string
  /** How long the old key still works */
  overlapSeconds: number
}

export type RotateWebhookSecretInput = {
  webhookId: string
}

export type RotatedWebhook = {
  id: string
  url: string
  events: Array<'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'>
  active: boolean
  createdAt: string
  updatedAt: string
  disabledReason: string | null
  consecutiveFailures: number
  secret: string
  previousSecretValidUntil: string
}

export type SignIn = {
  /** Null: nobody signs in through a browser */
  identityProvider: {
    /** Its addresses are in its OpenID discovery document */
    issuer: string
    /** A public client: it has no secret and uses PKCE */
    clientId: string
    scopes: string[]
    /** To be added to requests for authorization and for tokens, e.g. `audience` or `resource` */
    parameters: Record<string, string>
    /** Whether the client may use the device flow (RFC 8628) */
    deviceFlow: boolean
  } | null
  /** Development mode: without a token everybody is whom `X-Dev-User-Id` or `X-Dev-Provider-Id` says */
  development: boolean
}

export type SignedDownloadInput = {
  fileId: string
  expires: string
  signature: string
  /** `attachment`: browsers save the file under its name, also where they could show it */
  disposition?: 'attachment' | undefined
}

export type StartRunInput = {
  kind: 'reconcile' | 'verify'
  dryRun?: boolean | undefined
  /** Of reconcile: files after this id */
  after?: string | undefined
  /** Of verify: so many files at random; else all */
  sample?: number | undefined
  /** Of verify: on this network alone */
  network?: string | undefined
}

export type TestWebhookInput = {
  webhookId: string
}

export type TimelineEntry = {
  id: string
  /** e.g. `file.hot`, `copy.proved`, `store.failed`; more may come */
  type: string
  at: string
  /** The new status, if it changed */
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error' | null
  details: Record<string, string | number | boolean | null | string[] | Record<string, string>>
  /** Who did it; null: follows by itself from what was done */
  actor: {
    method: 'api_key' | 'jwt' | 'development' | 'link' | 'operator' | 'system' | 'job'
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s id at the identity provider */
    subject: string | null
    /** With `job`: the one that did it on their behalf */
    jobId?: string | undefined
    /** The link by which somebody without an account did it */
    linkId?: string | undefined
  } | null
  /** IP address, as the gateway saw it */
  clientAddress: string | null
  /** Null where no request did it */
  requestId: string | null
}

export type TrashFilesInput = {
  vaultId: string
  /** Files of this vault; each counts once */
  ids?: string[] | undefined
  /** All files whose path begins so, by a job */
  prefix?: '' | string | undefined
}

export type TrashedFile = {
  id: string
  name: string
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path: string
  mimeType: string
  sizeBytes: number
  vaultId: string
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** Id of the content on the most preferred network that has a copy; null until there is one */
  storageNetworkBlobId: string | null
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey: string | null
  encryptionIv: string | null
  plaintextSizeBytes: number | null
  plaintextChecksumSha256: string | null
  /** Why the file is in `error`, as a sentence */
  error: string | null
  errorCode: string | null
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one call */
  checksumSha256: string | null
  /** The `storageNetworkBlobId` that the bytes will have, where it is known already */
  expectedBlobId: string | null
  /** Whether hot storage has the bytes */
  inHotCache: boolean
  /** Whether the bytes are on their way back to hot storage */
  rehydrating: boolean
  syncAttempts: number
  /** When the first lease of its copies ends; renewed before */
  leaseExpiresAt: string | null
  /** When it may leave hot storage */
  hotUntil: string | null
  createdAt: string
  updatedAt: string
  confirmedAt: string | null
  syncedAt: string | null
  evictedAt: string | null
  deletedAt: string | null
  /** The file that it followed at its path, and that went to the trash for it */
  replaces: string | null
  /** In the trash: the file that followed it at its path */
  replacedBy: string | null
  metadata: Record<string, string>
  tags: string[]
  sealedMetadata: string | null
  /** When it goes to the trash by itself; null: never */
  expiresAt: string | null
  /** Not published yet: only the owner can list and read the file */
  awaitingReview: boolean
  /** When it is removed for good; null: at once */
  purgeDueAt: string | null
}

export type UpdateFileInput = {
  fileId: string
  /** In the folder where it is */
  name?: string | undefined
  /** In place of `name`: folders and the name */
  path?: string | undefined
  /** When the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the file there, which goes to the trash */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
  vaultId?: string | undefined
  /** Merged with what is there: null removes a pair, or all */
  metadata?: Record<string, string | null> | null | undefined
  /** In place of those that are there */
  tags?: string[] | null | undefined
  sealedMetadata?: string | null | undefined
  /** When it goes to the trash by itself; null: never */
  expiresAt?: string | null | undefined
  /** Private vaults: the same file key, wrapped anew */
  wrappedKey?: string | undefined
}

export type UpdateVaultInput = {
  vaultId: string
  name?: string | undefined
  description?: string | undefined
  /** How long after its request a new file goes to the trash by itself, unless that says otherwise; null: never */
  filesExpireAfterSeconds?: number | null | undefined
  /** Of a private vault: the key that its files are encrypted under */
  keyId?: string | undefined
  /** The key of before, where `keyId` is to take its place */
  replacesKeyId?: string | undefined
  visibility?: never | undefined
}

export type UpdateWebhookInput = {
  webhookId: string
  url?: string | undefined
  events?: Array<'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'> | undefined
  active?: boolean | undefined
}

export type UploadCost = {
  sizeBytes: number
  networks: Array<{
    network: string
    driver: 'embedded' | 's3' | 'ipfs' | 'walrus'
    /** What the network bills for the copy */
    billedBytes: number
    /** When the lease of a copy that is stored now would end; it is renewed. Null: there is none */
    leaseExpiresAt: string | null
    /** In `currency`; null where no price is configured */
    costPerMonth: number | null
  }>
  /** Of all networks together */
  billedBytes: number
  /** Of all together; null unless the price of each is known */
  costPerMonth: number | null
  /** Null where no price is configured */
  currency: string | null
}

export type UploadPart = {
  partNumber: number
  uploadUrl: string
  offsetBytes: number
  sizeBytes: number
}

export type UsageDay = {
  day: string
  fileCount: number
  storageBytes: number
  hotBytes: number
  /** That became hot since the day before that is listed: uploads, and copies */
  addedFiles: number
  addedBytes: number
  networks: Array<{
    network: string
    copies: number
    billedBytes: number
  }>
}

export type Vault = {
  id: string
  name: string
  description: string
  visibility: 'public' | 'private'
  slug: string
  isDefault: boolean
  /** Made by an export, whose files it holds: private, but not encrypted by a client */
  isExport: boolean
  fileCount: number
  storageBytes: number
  filesExpireAfterSeconds: number | null
  /** Of a private vault: which key its clients encrypt under, if one has said so; it tells nothing of the key */
  keyId: string | null
  createdAt: string
  updatedAt: string
  deletedAt: string | null
}

export type VaultPayload = {
  event: 'vault.created' | 'vault.deleted' | 'vault.restored'
  timestamp: string
  data: {
    vaultId: string
    vaultName: string
    visibility: 'public' | 'private'
    slug: string
    isDefault: boolean
    fileCount: number
    storageBytes: number
  }
}

export type VaultUsageDay = {
  day: string
  fileCount: number
  storageBytes: number
}

export type Webhook = {
  id: string
  url: string
  events: Array<'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'>
  active: boolean
  createdAt: string
  updatedAt: string
  disabledReason: string | null
  consecutiveFailures: number
}

export type WebhookAttempt = {
  attempt: number
  at: string
  statusCode: number
  success: boolean
  error: string | null
  durationMs: number | null
  /** The first 4 KiB of the response */
  responseBody: string | null
}

export type WebhookDelivery = {
  id: string
  webhookId: string
  event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'
  eventId: string
  attempts: number
  /** HTTP status of the last attempt; 0 if nothing answered */
  statusCode: number
  success: boolean
  error: string | null
  durationMs: number | null
  createdAt: string
  nextAttemptAt: string | null
}

export type WebhookDeliveryWithAttempts = {
  id: string
  webhookId: string
  event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'
  eventId: string
  attempts: number
  /** HTTP status of the last attempt; 0 if nothing answered */
  statusCode: number
  success: boolean
  error: string | null
  durationMs: number | null
  createdAt: string
  nextAttemptAt: string | null
  /** What is sent, byte for byte */
  body: string
  attemptLog: WebhookAttempt[]
}

export type WebhookFeedDelivery = {
  id: string
  webhookId: string
  event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'
  eventId: string
  attempts: number
  /** HTTP status of the last attempt; 0 if nothing answered */
  statusCode: number
  success: boolean
  error: string | null
  durationMs: number | null
  createdAt: string
  nextAttemptAt: string | null
  /** A sample, sent on request */
  isTest: boolean
  /** What is sent, byte for byte */
  body: string
  /** Goes on behind this one */
  cursor: string
}

export type WebhookPayload = {
  event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name, of a file that is in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Of a file that has any */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Of a file that goes to the trash by itself then */
    expiresAt?: string | undefined
    /** The file that it followed at its path */
    replaces?: string | undefined
    /** The file that followed it at its path */
    replacedBy?: string | undefined
  }
}
