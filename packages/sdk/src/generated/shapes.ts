// Generated from packages/contracts by `npm run generate`. Do not edit.

/** An API key with full access that expires after 12 hours. Sign out by revoking the key */
export type Session = CreatedApiKey

/** For `PublicKeyCredential.parseCreationOptionsFromJSON` */
export type PasskeyCreationOptions = {
  challenge: string
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  pubKeyCredParams: Array<{
    type: 'public-key'
    alg: number
  }>
  timeout: number
  excludeCredentials: Array<{
    type: 'public-key'
    id: string
    transports: string[]
  }>
  authenticatorSelection: {
    residentKey: 'required'
    userVerification: 'required'
  }
  attestation: 'none'
}

/** For `PublicKeyCredential.parseRequestOptionsFromJSON` */
export type PasskeyRequestOptions = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required'
}

/** Without the right to read files, only `id` and `status`, except when a key confirms its own upload */
export type WrittenFile = {
  id: string
  name?: string | undefined
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path?: string | undefined
  mimeType?: string | undefined
  sizeBytes?: number | undefined
  vaultId?: string | undefined
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** ID of the content on the most preferred network that has a copy; null without a copy */
  storageNetworkBlobId?: string | null | undefined
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey?: string | null | undefined
  encryptionIv?: string | null | undefined
  plaintextSizeBytes?: number | null | undefined
  plaintextChecksumSha256?: string | null | undefined
  /** Why the file is in `error`, as a sentence */
  error?: string | null | undefined
  errorCode?: string | null | undefined
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one request */
  checksumSha256?: string | null | undefined
  /** The future `storageNetworkBlobId`, if already known */
  expectedBlobId?: string | null | undefined
  /** Whether hot storage has the bytes */
  inHotCache?: boolean | undefined
  /** Whether the bytes are being restored to hot storage */
  rehydrating?: boolean | undefined
  syncAttempts?: number | undefined
  /** When the first lease of its copies expires; leases are renewed before */
  leaseExpiresAt?: string | null | undefined
  /** When the bytes may be removed from hot storage */
  hotUntil?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  confirmedAt?: string | null | undefined
  syncedAt?: string | null | undefined
  evictedAt?: string | null | undefined
  deletedAt?: string | null | undefined
  /** The file that this file replaced at its path, and that moved to the trash */
  replaces?: string | null | undefined
  /** In the trash: the file that replaced this file at its path */
  replacedBy?: string | null | undefined
  metadata?: Record<string, string> | undefined
  tags?: string[] | undefined
  sealedMetadata?: string | null | undefined
  /** When the file automatically moves to the trash; null: never */
  expiresAt?: string | null | undefined
  /** Not yet published: only the owner can list and read the file */
  awaitingReview?: boolean | undefined
}

/** Without the right to read files, only `id`, `status`, `deletedAt`, and `purgeDueAt` */
export type DeletedFile = {
  id: string
  name?: string | undefined
  /** Folders and `name`: `2026/photos/beach.jpg` */
  path?: string | undefined
  mimeType?: string | undefined
  sizeBytes?: number | undefined
  vaultId?: string | undefined
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
  /** ID of the content on the most preferred network that has a copy; null without a copy */
  storageNetworkBlobId?: string | null | undefined
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey?: string | null | undefined
  encryptionIv?: string | null | undefined
  plaintextSizeBytes?: number | null | undefined
  plaintextChecksumSha256?: string | null | undefined
  /** Why the file is in `error`, as a sentence */
  error?: string | null | undefined
  errorCode?: string | null | undefined
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one request */
  checksumSha256?: string | null | undefined
  /** The future `storageNetworkBlobId`, if already known */
  expectedBlobId?: string | null | undefined
  /** Whether hot storage has the bytes */
  inHotCache?: boolean | undefined
  /** Whether the bytes are being restored to hot storage */
  rehydrating?: boolean | undefined
  syncAttempts?: number | undefined
  /** When the first lease of its copies expires; leases are renewed before */
  leaseExpiresAt?: string | null | undefined
  /** When the bytes may be removed from hot storage */
  hotUntil?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  confirmedAt?: string | null | undefined
  syncedAt?: string | null | undefined
  evictedAt?: string | null | undefined
  deletedAt: string | null
  /** The file that this file replaced at its path, and that moved to the trash */
  replaces?: string | null | undefined
  /** In the trash: the file that replaced this file at its path */
  replacedBy?: string | null | undefined
  metadata?: Record<string, string> | undefined
  tags?: string[] | undefined
  sealedMetadata?: string | null | undefined
  /** When the file automatically moves to the trash; null: never */
  expiresAt?: string | null | undefined
  /** Not yet published: only the owner can list and read the file */
  awaitingReview?: boolean | undefined
  /** When it is deleted permanently; null: immediately */
  purgeDueAt: string | null
  /** released: this file’s copies are being removed. expires: a network that cannot delete keeps one until `networkCopyExpiresAt` */
  networkCopy?: 'released' | 'expires' | undefined
  /** When the last copy expires */
  networkCopyExpiresAt?: string | null | undefined
  /** The same for each network that has a copy */
  networkCopies?: NetworkCopy[] | undefined
}

/** Without the right to read files: state, counts, and times of a job. Other fields are null, and `failures` is empty */
export type Job = {
  id: string
  kind: 'move' | 'copy' | 'trash' | 'restore' | 'delete' | 'publish' | 'export'
  /** queued: waits for earlier jobs of the vault. done: processed every file, even if some failed. failed: stopped before the last file. cancelled: changes nothing more */
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  vaultId: string | null
  /** The vault whose files the job processes */
  prefix: string | null
  /** Target folder of the files */
  to: string | null
  /** Target vault; null: the same vault */
  toVaultId: string | null
  onConflict: 'keep' | 'fail' | 'replace' | null
  /** Files changed so far */
  done: number
  /** Files that the job could not change */
  failed: number
  /** The first 100 failed files */
  failures: JobFailure[]
  errorCode: string | null
  /** Why the job failed, as a sentence */
  error: string | null
  /** Who requested the job */
  actor: {
    /** `api_key`, `jwt`, `passkey`, `recovery_code`, `set_up`, `development`, `link`, `operator`, `system`, `job`; others may be added */
    method: string
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s ID at the identity provider */
    subject: string | null
    /** With `job`: the job that acted for the caller */
    jobId?: string | undefined
    /** The link that an unauthenticated client used */
    linkId?: string | undefined
  } | null
  createdAt: string
  startedAt: string | null
  updatedAt: string
  /** When the job finished; it stays listed for some time */
  finishedAt: string | null
}

/** Without the right to read links, only `id`, `state`, and `revokedAt` */
export type RevokedLink = {
  id: string
  /** What the link reads; `upload`: the link receives files into the folder and reads none */
  kind?: 'file' | 'folder' | 'upload' | undefined
  /** For links to a file */
  fileId?: string | null | undefined
  /** For links to a file: its current path, also in the trash. Null without the right to read links */
  path?: string | null | undefined
  /** For links to a folder */
  vaultId?: string | null | undefined
  /** For links to a folder: the prefix of its files’ paths */
  prefix?: string | null | undefined
  /** State of the link itself: a usable link is 404 while its file or vault is in the trash */
  state: 'usable' | 'spent' | 'expired' | 'revoked'
  hasPassword?: boolean | undefined
  expiresAt?: string | null | undefined
  maxDownloads?: number | null | undefined
  /** Downloads that have begun */
  downloads?: number | undefined
  /** When the last download began */
  lastUsedAt?: string | null | undefined
  /** Limits of an upload link */
  upload?: {
    maxFiles: number
    /** Largest file; the limit of one request also applies */
    maxFileBytes: number
    /** Largest sum of all files */
    maxBytes: number
    /** Accepted types, such as `image/*`, as declared by the sender; null: any */
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them immediately */
    received: 'review' | 'publish'
    /** Received so far */
    files: number
    bytes: number
  } | null | undefined
  /** The API key that created the link */
  keyId?: string | null | undefined
  createdAt?: string | undefined
  revokedAt: string | null
}

/** Without the right to read vaults, only `id` and `deletedAt` */
export type WrittenVault = {
  id: string
  name?: string | undefined
  description?: string | undefined
  visibility?: 'public' | 'private' | undefined
  slug?: string | undefined
  isDefault?: boolean | undefined
  /** Created by an export and contains its files: private, but not encrypted by a client */
  isExport?: boolean | undefined
  fileCount?: number | undefined
  storageBytes?: number | undefined
  filesExpireAfterSeconds?: number | null | undefined
  /** Private vaults: identifies the key with which clients encrypt, if set. Reveals nothing about the key */
  keyId?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  deletedAt?: string | null | undefined
}

/** `toJSON()` of the credential that the browser created */
export type CreatedPasskey = {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    attestationObject: string
    transports?: string[] | undefined
  }
}

/** `toJSON()` of the credential that the browser used */
export type PasskeySignature = {
  id: string
  rawId: string
  type: 'public-key'
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
  }
}

export type Account = {
  id: string
  createdAt: string
  /** The caller is an operator of the installation and may use `/api/operator`. Missing for API keys other than sessions of the owner */
  isOperator?: true | undefined
  usage: {
    storageBytes: number
    hotBytes: number
    fileCount: number
    vaultCount: number
    /** Storage networks that have copies of your files, in reading order */
    networks: Array<{
      network: string
      copies: number
      /** Bytes that the network bills for the copies: more than the files have */
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
    /** `api_key`, `jwt`, `passkey`, `recovery_code`, `set_up`, `development`, `link`, `operator`, `system`, `job`; others may be added */
    method: string
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s ID at the identity provider */
    subject: string | null
    /** With `job`: the job that acted for the caller */
    jobId?: string | undefined
    /** The link that an unauthenticated client used */
    linkId?: string | undefined
  }
  /** IP address that the gateway saw */
  clientAddress: string | null
  /** Null without a request */
  requestId: string | null
  id: string
  /** `account.created`, `owner.created`, `passkey.added`, `passkey.renamed`, `passkey.deleted`, `recovery_code.replaced`, `key.created`, `key.revoked`, `key.rotated`, `key.shortened`, `webhook.created`, `webhook.changed`, `webhook.deleted`, `webhook.disabled`, `webhook.secret_rotated`; others may be added */
  kind: string
  /** The account, key, passkey, or webhook concerned */
  subjectId: string
  at: string
  details: Record<string, string | number | boolean | null | string[]>
}

export type ApiKey = {
  id: string
  name: string
  keyPrefix: string
  /** The key that created this key; null: a login created it */
  parentId: string | null
  scopes: Array<'vaults:read' | 'vaults:write' | 'files:read' | 'files:write' | 'links:read' | 'links:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'account:read'> | null
  limits: ApiKeyLimits | null
  /** A sign-in of the owner created the key. It cannot be rotated, and is the parent of no key */
  isSession: boolean
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revoked_at: string | null
  /** Access key ID for the S3 API. Null: the key has none */
  s3AccessKeyId: string | null
}

export type ApiKeyLimits = {
  /** Vaults that the key can see, with their files. All others are 404 */
  vaultIds: string[] | null
  /** The key can see files whose paths begin with one of these, in each visible vault */
  prefixes: string[] | null
  /** Actions on files and vaults that the key may perform */
  verbs: Array<'read' | 'upload' | 'change' | 'delete' | 'share'> | null
  /** Bytes per day (UTC) of requested uploads and of files with requested download URLs, together with all keys created with this key */
  bytesPerDay: number | null
  /** Client addresses or networks that may use the key */
  addresses: string[] | null
}

export type BeginSetUpAnswer = {
  /** `PUBLIC_URL`, where passkeys work */
  publicUrl: string | null
  /** Null if passkeys do not work at `PUBLIC_URL` */
  passkey: PasskeyCreationOptions | null
}

export type BeginSetUpInput = {
  /** The part after `#token=` of the set-up link, from the log of the auth service or `operator set-up-link` */
  token: string
}

export type CancelJobInput = {
  jobId: string
}

export type CancelRunInput = {
  runId: string
}

export type CompleteSetUpAnswer = {
  session: Session
  /** Only this response has the code */
  recoveryCode: string
}

export type CompleteSetUpInput = {
  /** The part after `#token=` of the set-up link, from the log of the auth service or `operator set-up-link` */
  token: string
  /** Omitted or null: only the recovery code signs in */
  passkey?: NewPasskey | null | undefined
}

export type ConfirmUploadInput = {
  fileId: string
}

export type CopyFilesInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids?: string[] | undefined
  /** All files whose path begins with this, as a job; a folder */
  prefix?: string | undefined
  /** The folder of the copies, with a slash at its end; empty: no folder */
  to: string
  /** Another vault of the same visibility */
  toVaultId?: string | undefined
  /** If the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the other file, which moves to the trash */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
}

export type CreateApiKeyInput = {
  name: string
  /** Omitted or null: all scopes */
  scopes?: Array<'vaults:read' | 'vaults:write' | 'files:read' | 'files:write' | 'links:read' | 'links:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'account:read'> | null | undefined
  /** Omitted or null: none, or those of the creating key. Unknown limits are rejected */
  limits?: {
    /** Vaults that the key can see, with their files. All others are 404 */
    vaultIds?: string[] | null | undefined
    /** The key can see files whose paths begin with one of these, in each visible vault */
    prefixes?: string[] | null | undefined
    /** Actions on files and vaults that the key may perform */
    verbs?: Array<'read' | 'upload' | 'change' | 'delete' | 'share'> | null | undefined
    /** Bytes per day (UTC) of requested uploads and of files with requested download URLs, together with all keys created with this key */
    bytesPerDay?: number | null | undefined
    /** Client addresses or networks that may use the key */
    addresses?: string[] | null | undefined
  } | null | undefined
  /** Omitted or null: no expiry, or that of the creating key */
  expiresInDays?: number | null | undefined
  /** Also create credentials for the S3 API. Omitted: false */
  s3?: boolean | undefined
}

export type CreateDownloadUrlsAnswer = {
  urls: DownloadUrl[]
}

export type CreateDownloadUrlsInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids: string[]
}

export type CreateFileLinkInput = {
  fileId: string
  /** Required to open the link; the service stores its Argon2id hash */
  password?: string | null | undefined
  /** Omitted or null: until revoked */
  expiresInSeconds?: number | null | undefined
  /** Omitted or null: any number */
  maxDownloads?: number | null | undefined
}

export type CreateFolderLinkInput = {
  vaultId: string
  /** A folder with a slash at its end, or empty */
  prefix: string
  /** Required to open the link; the service stores its Argon2id hash */
  password?: string | null | undefined
  /** Omitted or null: until revoked */
  expiresInSeconds?: number | null | undefined
  /** Omitted or null: any number */
  maxDownloads?: number | null | undefined
  /** Creates a link that receives files into the folder and reads nothing. Public vaults only */
  upload?: {
    maxFiles: number
    /** Largest file; the limit of one request also applies */
    maxFileBytes: number
    /** Largest sum of all files */
    maxBytes: number
    /** Omitted or null: any */
    mimeTypes?: string[] | null | undefined
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them immediately */
    received?: 'review' | 'publish' | undefined
  } | null | undefined
}

export type CreateVaultInput = {
  /** The new object’s ID: a UUIDv7 that no file or vault has or had. By default, the service creates one */
  id?: string | null | undefined
  name: string
  /** Part of public URLs, and the name of the S3 bucket; unique in the account. Default: derived from the name */
  slug?: string | undefined
  visibility: 'public' | 'private'
  description?: string | undefined
  /** Default for new files: the time from their request until they automatically move to the trash; null: never */
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
  /** The key that created this key; null: a login created it */
  parentId: string | null
  scopes: Array<'vaults:read' | 'vaults:write' | 'files:read' | 'files:write' | 'links:read' | 'links:write' | 'webhooks:read' | 'webhooks:write' | 'keys:read' | 'keys:write' | 'account:read'> | null
  limits: ApiKeyLimits | null
  /** A sign-in of the owner created the key. It cannot be rotated, and is the parent of no key */
  isSession: boolean
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  revoked_at: string | null
  /** Access key ID for the S3 API. Null: the key has none */
  s3AccessKeyId: string | null
  key: string
  /** Credentials for the S3 API, of keys with `s3AccessKeyId` */
  s3?: {
    accessKeyId: string
    secretAccessKey: string
  } | undefined
}

export type CreatedLink = {
  id: string
  /** What the link reads; `upload`: the link receives files into the folder and reads none */
  kind: 'file' | 'folder' | 'upload'
  /** For links to a file */
  fileId: string | null
  /** For links to a file: its current path, also in the trash. Null without the right to read links */
  path: string | null
  /** For links to a folder */
  vaultId: string | null
  /** For links to a folder: the prefix of its files’ paths */
  prefix: string | null
  /** State of the link itself: a usable link is 404 while its file or vault is in the trash */
  state: 'usable' | 'spent' | 'expired' | 'revoked'
  hasPassword: boolean
  expiresAt: string | null
  maxDownloads: number | null
  /** Downloads that have begun */
  downloads: number
  /** When the last download began */
  lastUsedAt: string | null
  /** Limits of an upload link */
  upload: {
    maxFiles: number
    /** Largest file; the limit of one request also applies */
    maxFileBytes: number
    /** Largest sum of all files */
    maxBytes: number
    /** Accepted types, such as `image/*`, as declared by the sender; null: any */
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them immediately */
    received: 'review' | 'publish'
    /** Received so far */
    files: number
    bytes: number
  } | null
  /** The API key that created the link */
  keyId: string | null
  createdAt: string
  revokedAt: string | null
  /** The page for people. Only this response has the token; the service stores its hash */
  url: string
  /** The bytes; for a folder, append the path of a file */
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
  /** HTTP status of the last attempt; 0 without a response */
  statusCode: number
  error: string | null
  /** When it failed permanently */
  since: string
  /** Whether its webhook is enabled; nothing is sent to disabled webhooks */
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
  /** For a file in error: the recorded states of its copies; `lost`: planned again since */
  copies: Array<{
    network: string
    state: string
  }> | null
  /** The event’s type */
  event: string | null
  /** Why it failed permanently: an error word or a sentence */
  reason: string | null
  since: string | null
}

export type DeleteFileInput = {
  fileId: string
  permanent?: boolean | undefined
}

export type DeleteFilesInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids?: string[] | undefined
  /** All files whose path begins with this, as a job */
  prefix?: string | undefined
  /** With `prefix`: files in the trash instead of files outside it */
  trashed?: boolean | undefined
}

export type DeletePasskeyInput = {
  passkeyId: string
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
  /** `attachment`: browsers save the file under its name instead of showing it */
  disposition?: 'attachment' | undefined
}

export type DownloadUrl = {
  fileId: string
  /** Why the file has no URL; null: it has one */
  code: 'not_found' | 'upload_not_confirmed' | 'path_taken' | 'path_too_long' | 'state_conflict' | 'content_lost' | 'quota_exceeded' | null
  downloadUrl: string | null
  expiresAt: string | null
  source: 'hot' | 'network' | null
}

export type EmptyTrashAnswer = {
  /** Files deleted on their own */
  purgedFiles: number
  /** Deleted vaults, with all their files */
  purgedVaults: number
}

export type ExportAccountInput = {
  /** Default for new files: the time from their request until they automatically move to the trash; null: never */
  filesExpireAfterSeconds?: number | null | undefined
  target?: ExportTarget | undefined
}

export type ExportTarget = {
  type: 's3'
  /** URL of the S3 service, e.g. `https://s3.example`; defaults to AWS */
  endpoint?: string | undefined
  region?: string | undefined
  bucket: string
  /** Each export writes its objects to a new folder below this prefix */
  prefix?: string | undefined
  /** Use `<endpoint>/<bucket>/<key>` instead of a host name for the bucket. Defaults to true with `endpoint` */
  forcePathStyle?: boolean | undefined
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export type FileCopy = {
  /** Name of the network in this installation */
  network: string
  /** Kind of network, e.g. `embedded`; null if no longer configured */
  driver: string | null
  /** Blob ID on the network; set when stored, and kept afterwards */
  blobId: string | null
  /** planned: to be stored. stored: on the network. proved: read back in full, bytes verified. lost: no longer on the network, being stored again. failed: needs a retry. dropping, dropped: removed on purpose */
  state: 'planned' | 'lost' | 'stored' | 'proved' | 'failed' | 'dropping' | 'dropped'
  storedAt: string | null
  /** When it was last read back in full */
  provedAt: string | null
  /** When it was last checked */
  checkedAt: string | null
  /** Checks that passed and failed, including proofs */
  checks: {
    ok: number
    failed: number
  }
  /** Renewed before it expires; null if the network keeps copies without a lease */
  leaseExpiresAt: string | null
}

export type FileCopyPayload = {
  event: 'file.copied' | 'file.copy_lost'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name; only for files in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Only for files that have some */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Only for files with an expiry: when the file automatically moves to the trash */
    expiresAt?: string | undefined
    /** The file that this file replaced at its path */
    replaces?: string | undefined
    /** The file that replaced this file at its path */
    replacedBy?: string | undefined
    /** Name of the network in this installation */
    network: string
    /** Why the copy was lost */
    reason?: string | undefined
  }
}

export type FileEvent = {
  actor: {
    /** `api_key`, `jwt`, `passkey`, `recovery_code`, `set_up`, `development`, `link`, `operator`, `system`, `job`; others may be added */
    method: string
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s ID at the identity provider */
    subject: string | null
    /** With `job`: the job that acted for the caller */
    jobId?: string | undefined
    /** The link that an unauthenticated client used */
    linkId?: string | undefined
  }
  /** IP address that the gateway saw */
  clientAddress: string | null
  /** Null without a request */
  requestId: string | null
  id: string
  /** e.g. `file.deleted` or `vault.changed`, as in timelines; new kinds may be added */
  kind: string
  /** `account`: all of its files, e.g. for an export to a bucket or a job of the account */
  subject: 'file' | 'vault' | 'account'
  /** The file or vault concerned, which may be purged, or the account */
  subjectId: string
  at: string
  /** The state at that time, or the changes */
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
  /** ID of the content on the most preferred network that has a copy; null without a copy */
  storageNetworkBlobId: string | null
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey: string | null
  encryptionIv: string | null
  plaintextSizeBytes: number | null
  plaintextChecksumSha256: string | null
  /** Why the file is in `error`, as a sentence */
  error: string | null
  errorCode: string | null
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one request */
  checksumSha256: string | null
  /** The future `storageNetworkBlobId`, if already known */
  expectedBlobId: string | null
  /** Whether hot storage has the bytes */
  inHotCache: boolean
  /** Whether the bytes are being restored to hot storage */
  rehydrating: boolean
  syncAttempts: number
  /** When the first lease of its copies expires; leases are renewed before */
  leaseExpiresAt: string | null
  /** When the bytes may be removed from hot storage */
  hotUntil: string | null
  createdAt: string
  updatedAt: string
  confirmedAt: string | null
  syncedAt: string | null
  evictedAt: string | null
  deletedAt: string | null
  /** The file that this file replaced at its path, and that moved to the trash */
  replaces: string | null
  /** In the trash: the file that replaced this file at its path */
  replacedBy: string | null
  metadata: Record<string, string>
  tags: string[]
  sealedMetadata: string | null
  /** When the file automatically moves to the trash; null: never */
  expiresAt: string | null
  /** Not yet published: only the owner can list and read the file */
  awaitingReview: boolean
}

export type FileRemovalPayload = {
  event: 'file.deleted' | 'file.restored' | 'file.purged'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name; only for files in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Only for files that have some */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Only for files with an expiry: when the file automatically moves to the trash */
    expiresAt?: string | undefined
    /** The file that this file replaced at its path */
    replaces?: string | undefined
    /** The file that replaced this file at its path */
    replacedBy?: string | undefined
    /** For `file.deleted` of a file that reached its `expiresAt` */
    reason?: 'expired' | undefined
  }
}

export type FileResult = {
  fileId: string
  /** Why the file is unchanged; null: success */
  code: 'not_found' | 'upload_not_confirmed' | 'path_taken' | 'path_too_long' | 'state_conflict' | 'content_lost' | 'quota_exceeded' | null
}

export type Folder = {
  /** With a slash at its end: the `prefix` of its contents */
  path: string
}

export type ForgetFolderInput = {
  vaultId: string
  /** Folders and name, percent-encoded; slashes may be `/` or `%2F` */
  path: string
}

export type JobFailure = {
  fileId: string
  path: string
  code: 'not_found' | 'upload_not_confirmed' | 'path_taken' | 'path_too_long' | 'state_conflict' | 'content_lost' | 'quota_exceeded'
}

export type KeepFolderInput = {
  vaultId: string
  /** Folders and name, percent-encoded; slashes may be `/` or `%2F` */
  path: string
}

export type LeasePayload = {
  event: 'file.lease_expiring'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name; only for files in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Only for files that have some */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Only for files with an expiry: when the file automatically moves to the trash */
    expiresAt?: string | undefined
    /** The file that this file replaced at its path */
    replaces?: string | undefined
    /** The file that replaced this file at its path */
    replacedBy?: string | undefined
    /** Name of the network in this installation */
    network: string
    /** Why the copy was lost */
    reason?: string | undefined
    leaseExpiresAt: string
  }
}

export type Link = {
  id: string
  /** What the link reads; `upload`: the link receives files into the folder and reads none */
  kind: 'file' | 'folder' | 'upload'
  /** For links to a file */
  fileId: string | null
  /** For links to a file: its current path, also in the trash. Null without the right to read links */
  path: string | null
  /** For links to a folder */
  vaultId: string | null
  /** For links to a folder: the prefix of its files’ paths */
  prefix: string | null
  /** State of the link itself: a usable link is 404 while its file or vault is in the trash */
  state: 'usable' | 'spent' | 'expired' | 'revoked'
  hasPassword: boolean
  expiresAt: string | null
  maxDownloads: number | null
  /** Downloads that have begun */
  downloads: number
  /** When the last download began */
  lastUsedAt: string | null
  /** Limits of an upload link */
  upload: {
    maxFiles: number
    /** Largest file; the limit of one request also applies */
    maxFileBytes: number
    /** Largest sum of all files */
    maxBytes: number
    /** Accepted types, such as `image/*`, as declared by the sender; null: any */
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them immediately */
    received: 'review' | 'publish'
    /** Received so far */
    files: number
    bytes: number
  } | null
  /** The API key that created the link */
  keyId: string | null
  createdAt: string
  revokedAt: string | null
}

export type LinkContentInput = {
  /** The part after `/s/` in the link */
  token: string
  /** A preview on the page of the link, which is not a download; no effect with `maxDownloads` */
  preview?: string | undefined
}

export type LinkedContentInput = {
  /** The part after `/s/` in the link */
  token: string
  /** Folders and name, percent-encoded; slashes may be `/` or `%2F` */
  path: string
  /** A preview on the page of the link, which is not a download; no effect with `maxDownloads` */
  preview?: string | undefined
}

export type LinkedFile = {
  /** Path below the linked folder; for a link to a file, its name */
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
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListAccountEventsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  kind?: string | undefined
  /** At this time or later */
  after?: string | undefined
  /** Before this time */
  before?: string | undefined
}

export type ListApiKeysAnswer = {
  apiKeys: ApiKey[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListApiKeysInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  sortBy?: 'createdAt' | 'name' | undefined
  order?: 'asc' | 'desc' | undefined
  includeRevoked?: boolean | undefined
}

export type ListDeadDeliveriesAnswer = {
  deadLetters: DeadDelivery[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListDeadDeliveriesInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** Only deliveries that are at least this old */
  olderThanSeconds?: number | undefined
}

export type ListDeadLettersAnswer = {
  deadLetters: DeadLetter[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListDeadLettersInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  kind: 'files' | 'copies' | 'events'
  /** Only dead letters with this reason */
  error?: string | undefined
  /** Only dead letters that are at least this old */
  olderThanSeconds?: number | undefined
}

export type ListDeliveriesAnswer = {
  deliveries: WebhookDelivery[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListDeliveriesInput = {
  webhookId: string
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  success?: boolean | undefined
  event?: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored' | undefined
}

export type ListFileEventsAnswer = {
  events: FileEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListFileEventsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** A file or vault, which may be purged */
  subjectId?: string | undefined
  kind?: string | undefined
  /** Actions with this API key */
  keyId?: string | undefined
  /** At this time or later */
  after?: string | undefined
  /** Before this time */
  before?: string | undefined
}

export type ListFileLinksAnswer = {
  links: Link[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListFileLinksInput = {
  fileId: string
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListFilesAnswer = {
  files: FileRecord[]
  /** With `delimiter`: the folders of this page, in the order of the list */
  folders?: Folder[] | undefined
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListFilesInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** Default: `path` with `prefix` or `delimiter`, else `createdAt`. `path` needs one vault and is in byte order */
  sortBy?: 'createdAt' | 'name' | 'path' | undefined
  /** Default: `asc` by path, else `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Beginning of paths, e.g. `2026/photos/` */
  prefix?: string | undefined
  /** List each folder directly below `prefix` once, instead of the files in it */
  delimiter?: '/' | undefined
  /** Repeatable; all of them */
  tag?: string | string[] | undefined
  vaultId?: string | undefined
  /** Repeatable; any of them */
  status?: 'uploading' | 'hot' | 'synced' | 'cold' | 'error' | Array<'uploading' | 'hot' | 'synced' | 'cold' | 'error'> | undefined
  /** List files in the trash instead */
  trashed?: boolean | undefined
  /** `true`: only files that await review. `false`: only the others */
  awaitingReview?: boolean | undefined
  /** A media type, all subtypes of one (`image/*`), or `*\/*`. Compared without parameters unless the filter has some */
  mimeType?: string | undefined
  /** Part of the name, case-insensitive */
  q?: string | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}

export type ListFolderLinksAnswer = {
  links: Link[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListFolderLinksInput = {
  vaultId: string
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListJobsAnswer = {
  jobs: Job[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListJobsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListLinksAnswer = {
  links: Link[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListLinksInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** Created with this API key */
  keyId?: string | undefined
}

export type ListOperatorEventsAnswer = {
  events: OperatorEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListOperatorEventsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListOperatorWebhookEventsAnswer = {
  events: OperatorEvent[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListOperatorWebhookEventsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListPasskeysAnswer = {
  passkeys: Passkey[]
  recoveryCodeCreatedAt: string
}

export type ListRunsAnswer = {
  runs: OperatorRun[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListRunsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
}

export type ListTrashAnswer = {
  files: TrashedFile[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListTrashInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  sortBy?: 'createdAt' | 'name' | undefined
  order?: 'asc' | 'desc' | undefined
}

export type ListUploadedPartsAnswer = {
  partSizeBytes: number | null
  partCount: number
  /** Received parts, by number; for a part sent twice, the later one */
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
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListVaultsInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  sortBy?: 'createdAt' | 'name' | undefined
  order?: 'asc' | 'desc' | undefined
  /** List vaults in the trash instead */
  trashed?: boolean | undefined
}

export type ListWebhooksAnswer = {
  webhooks: Webhook[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ListWebhooksInput = {
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  order?: 'asc' | 'desc' | undefined
}

export type ManyFiles = {
  /** With `ids`: one result for each, in the same order */
  results: FileResult[] | null
  /** With `prefix`, and for copies: the background job */
  job: Job | null
}

export type MoveFilesInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids?: string[] | undefined
  /** All files whose path begins with this, as a job; a folder */
  prefix?: string | undefined
  /** The target folder, with a slash at its end; empty: no folder */
  to: string
  /** Another vault of the same visibility */
  toVaultId?: string | undefined
  /** If the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the other file, which moves to the trash */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
}

export type NetworkCopy = {
  network: string
  outcome: 'released' | 'expires'
  expiresAt: string | null
}

export type NewPasskey = {
  name: string
  credential: CreatedPasskey
}

export type OpenedLink = {
  kind: 'file' | 'folder' | 'upload'
  /** Name of the file or the folder */
  name: string
  /** A client encrypted the bytes; the response does not have the key */
  isEncrypted: boolean
  expiresAt: string | null
  /** Null: any number */
  downloadsLeft: number | null
  /** Only for upload links */
  takes: {
    filesLeft: number
    /** Path of the next file */
    maxFileBytes: number
    mimeTypes: string[] | null
    /** `review`: received files stay hidden from everyone but the owner until the owner publishes them. `publish`: everyone can list and read them immediately */
    received: 'review' | 'publish'
  } | null
  files: LinkedFile[]
  folders: Folder[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type OperatorCircuit = {
  service: string
  /** Identifies a process of the service */
  process: string
  /** The unavailable dependency: a network, or `hot_tier` for the bucket and Postgres */
  needs: string
  openedAt: string
}

export type OperatorEvent = {
  id: string
  at: string
  /** The action, e.g. `redrive`; new actions may be added */
  kind: string
  /** Address of the operator */
  accountId: string
  /** The operator’s ID at the identity provider; null: the owner’s session */
  subject: string | null
  clientAddress: string | null
  /** The same as in the logs of the accounts concerned */
  requestId: string
  details: Record<string, string | number | boolean | null>
}

export type OperatorNetwork = {
  name: string
  /** Null: not configured */
  driver: string | null
  /** Null: not configured, but has copies */
  role: 'required' | 'leaving' | null
  /** Null: not configured, or no response yet */
  works: boolean | null
  /** Why the network does not work, as a word, if known */
  fault: string | null
  /** Free bytes of its volume */
  freeBytes: number | null
  totalBytes: number | null
  /** The network accepts no copies while fewer bytes are free */
  reserveBytes: number | null
  copiesLeft: number | null
  copiesLost: number | null
}

export type OperatorOverview = {
  /** When the figures were collected: seconds to minutes ago */
  takenAt: string | null
  /** Files outside the trash by their status */
  files: {
    uploading: number
    hot: number
    synced: number
    cold: number
    error: number
  } | null
  /** How long the oldest file has had its status; 0 without files */
  oldestSeconds: {
    uploading: number
    hot: number
    synced: number
    error: number
  } | null
  hotBytes: number | null
  /** How long the oldest due work of each queue has been due; 0 without due work */
  due: Array<{
    /** e.g. `evict`, `store-disk-a` */
    queue: string
    oldestSeconds: number
  }> | null
  /** Largest number of consecutive attempts at one file without an outcome */
  unfinishedClaimsMax: number | null
  copies: Array<{
    network: string
    /** Copies that remain on a leaving network; up to 1,000,000 */
    left: number | null
    /** Copies that were lost and are not stored again yet; up to 1,000,000 */
    lost: number | null
  }> | null
  /** Dead letters, without deliveries of webhooks */
  deadLetters: {
    /** Files in error */
    files: number | null
    /** Permanently failed copies of otherwise healthy files, up to 10,000 */
    copies: number | null
    /** Invalid events; up to 100,000 */
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
  /** Files whose row violates an invariant, by invariant */
  violations: Record<string, number> | null
}

export type OperatorRelease = {
  /** Version of the responding process */
  running: string
  /** Null: none is known */
  newer: {
    version: string
    /** Page with the changes */
    notesUrl: string
  } | null
}

export type OperatorRun = {
  id: string
  kind: 'reconcile' | 'verify'
  /** failed: `error` states why; another run can start at `place` */
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  dryRun: boolean
  after: string | null
  sample: number | null
  network: string | null
  /** Progress: the last processed file; for a sample, the number of remaining files */
  place: string | null
  /** Counts by the outcomes of `operator reconcile` and `operator verify` */
  counts: Record<string, number>
  /** The first 200 files with a problem, and the action for each */
  findings: Array<Record<string, string>>
  /** The last error, also while the run is retried */
  error: string | null
  /** ID of the operator who started the run */
  accountId: string
  subject: string | null
  createdAt: string
  startedAt: string | null
  updatedAt: string
  finishedAt: string | null
}

export type Passkey = {
  id: string
  name: string
  createdAt: string
  lastUsedAt: string | null
}

export type PublicBlobBytesInput = {
  blobId: string
}

export type PublicContentInput = {
  userId: string
  vaultSlug: string
  /** Folders and name, percent-encoded; slashes may be `/` or `%2F` */
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
  /** ID of the content on the most preferred network that has a copy; null without a copy */
  storageNetworkBlobId: string | null
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one request */
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
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type PublicVaultInput = {
  userId: string
  vaultSlug: string
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  /** Default: `path` with `prefix` or `delimiter`, else `createdAt`. `path` needs one vault and is in byte order */
  sortBy?: 'createdAt' | 'name' | 'path' | undefined
  /** Default: `asc` by path, else `desc` */
  order?: 'asc' | 'desc' | undefined
  /** Beginning of paths, e.g. `2026/photos/` */
  prefix?: string | undefined
  /** List each folder directly below `prefix` once, instead of the files in it */
  delimiter?: '/' | undefined
}

export type PublishFilesInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids?: string[] | undefined
  /** All files whose path begins with this, as a job */
  prefix?: '' | string | undefined
}

export type ReadApiKeyInput = {
  apiKeyId: string
}

export type ReadArchiveInput = {
  vaultId: string
  /** Beginning of paths, e.g. `2026/photos/` */
  prefix?: string | undefined
}

export type ReadContentInput = {
  vaultId: string
  /** Folders and name, percent-encoded; slashes may be `/` or `%2F` */
  path: string
  /** Return a URL that needs no credentials, instead of the bytes */
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
  /** From a line of an incomplete manifest; the response continues after it */
  cursor?: string | undefined
}

export type ReadOperatorNetworksAnswer = {
  /** In order of preference */
  networks: OperatorNetwork[]
  hotTier: {
    works: boolean
  }
  /** Workers that wait for an unavailable dependency; reported within seconds */
  openCircuits: OperatorCircuit[]
}

export type ReadRunInput = {
  runId: string
}

export type ReadTimelineAnswer = {
  timeline: TimelineEntry[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type ReadTimelineInput = {
  fileId: string
  /** Items per page; values above 100 count as 100 */
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
  /** The first day, in UTC; defaults to 29 days before the last */
  from?: string | undefined
  /** The last day; defaults to today */
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
  /** The first day, in UTC; defaults to 29 days before the last */
  from?: string | undefined
  /** The last day; defaults to today */
  to?: string | undefined
}

export type ReadWebhookFeedAnswer = {
  deliveries: WebhookFeedDelivery[]
  /** Cursor of the next request */
  cursor: string
}

export type ReadWebhookFeedInput = {
  webhookId: string
  /** Items per page; values above 100 count as 100 */
  limit?: number | undefined
  /** `cursor` of the previous response */
  cursor?: string | undefined
  /** How long an empty response waits for a delivery; at most 20 */
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
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type RedriveDeadLettersInput = {
  /** Combined with the filters; ignored with `fileIds` */
  kind?: 'files' | 'copies' | undefined
  fileIds?: string[] | undefined
  /** Only dead letters with this reason */
  error?: string | undefined
  /** Only dead letters that are at least this old */
  olderThanSeconds?: number | undefined
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  dryRun?: boolean | undefined
}

export type RedriveDeliveriesAnswer = {
  redriven: RedrivenDelivery[]
  /** Cursor of the next page; null on the last page only. Earlier pages may be short or empty */
  nextCursor: string | null
}

export type RedriveDeliveriesInput = {
  deliveryIds?: string[] | undefined
  /** Only deliveries that are at least this old */
  olderThanSeconds?: number | undefined
  limit?: number | undefined
  /** `nextCursor` of the previous page */
  cursor?: string | undefined
  dryRun?: boolean | undefined
}

export type Redriven = {
  fileId: string
  accountId: string | null
  /** Why it failed permanently */
  reason: string | null
  since: string | null
  /** would_be_tried: a dry run. retried: accepted. settling: earlier work may still run, try later. wrong_bytes: permanent. no_bytes: until the bytes are restored. changed: another request changed it first. not_found: unknown or in the trash */
  outcome: 'would_be_tried' | 'retried' | 'settling' | 'not_in_error' | 'wrong_bytes' | 'no_bytes' | 'changed' | 'not_found'
}

export type RedrivenDelivery = {
  deliveryId: string
  accountId: string | null
  /** Why it failed permanently */
  error: string | null
  since: string | null
  /** would_be_tried: a dry run. planned: one more attempt, at most ten per second and webhook. switched_off: the webhook is disabled. not_given_up: delivered or still scheduled. changed: another request changed it first */
  outcome: 'would_be_tried' | 'planned' | 'switched_off' | 'not_given_up' | 'changed' | 'not_found'
}

export type RehydrateFileInput = {
  fileId: string
}

export type RenamePasskeyInput = {
  passkeyId: string
  name: string
}

export type RenewUploadUrlsAnswer = {
  fileId: string
  method: 'PUT'
  /** Send all of them. With `put: once`, they include `Content-Length` and `If-None-Match` */
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

export type ReplaceRecoveryCodeAnswer = {
  recoveryCode: string
}

export type RequestUploadAnswer = {
  fileId: string
  /** PUT the bytes here before `expiresAt`, with exactly these `headers` */
  uploadUrl: string
  method: 'PUT'
  /** Send all of them. With `put: once`, they include `Content-Length` and `If-None-Match` */
  headers: {
    "Content-Type": string
    [name: string]: string
  }
  expiresAt: string
  /** With `partSizeBytes`: the first 1,000 parts. `uploadUrl` is the URL of the first */
  parts?: UploadPart[] | undefined
}

export type RequestUploadInput = {
  /** The new object’s ID: a UUIDv7 that no file or vault has or had. By default, the service creates one */
  id?: string | null | undefined
  /** Alternatively, send `path` */
  name?: string | undefined
  /** Instead of `name`: folders and the name */
  path?: string | undefined
  /** If the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the other file, which moves to the trash; applied at the confirm. With If-Match or If-None-Match, `keep` counts as `replace` */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
  metadata?: Record<string, string> | null | undefined
  tags?: string[] | null | undefined
  sealedMetadata?: string | null | undefined
  /** When the file automatically moves to the trash; null: never; omitted: the default of the vault */
  expiresAt?: string | null | undefined
  /** Hides the file from everyone but the owner until it is published */
  awaitingReview?: boolean | null | undefined
  mimeType: string
  sizeBytes: number
  vaultId: string
  wrappedKey?: string | null | undefined
  encryptionIv?: string | null | undefined
  plaintextSizeBytes?: number | null | undefined
  plaintextChecksumSha256?: string | null | undefined
  /** SHA-256 of the bytes that you will PUT; verified when they are copied */
  checksumSha256?: string | null | undefined
  /** Upload in parts of this size, the last one smaller. Omitted: one PUT */
  partSizeBytes?: number | null | undefined
  /** If you do not confirm, the service confirms once all bytes have arrived. It checks after one minute, then less often, and when the upload would expire */
  autoConfirm?: boolean | null | undefined
  /** The response has more `headers`; send all of them. Object storage then keeps the first complete PUT, and no later PUT changes it. Not with `partSizeBytes` */
  put?: 'once' | null | undefined
}

export type RestoreFileInput = {
  fileId: string
}

export type RestoreFilesInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids?: string[] | undefined
  /** All files whose path begins with this, as a job */
  prefix?: '' | string | undefined
  /** With `prefix`: only files trashed at this time or later, such as `createdAt` of the job that trashed them */
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
  /** How long the old key continues to work */
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
  /** Null: no identity provider is configured */
  identityProvider: {
    /** Its addresses are in its OpenID discovery document */
    issuer: string
    /** A public client: it has no secret and uses PKCE */
    clientId: string
    scopes: string[]
    /** Parameters to add to authorization and token requests, e.g. `audience` or `resource` */
    parameters: Record<string, string>
    /** Whether the client may use the device flow (RFC 8628) */
    deviceFlow: boolean
  } | null
  /** `PUBLIC_URL`: the address that links and signed URLs use */
  publicUrl: string | null
  /** Origin of the pages on which the owner’s passkeys work. Null: only the recovery code works */
  passkeyOrigin: string | null
  /** Endpoint URL and region for S3 clients. Null: this installation does not offer the S3 API */
  s3Api: {
    url: string
    region: string
  } | null
  /** Development mode: requests without a token belong to the account of `X-Dev-User-Id` or `X-Dev-Provider-Id` */
  development: boolean
}

export type SignInWithPasskeyAnswer = {
  session: Session
}

export type SignInWithPasskeyInput = {
  credential: PasskeySignature
}

export type SignInWithRecoveryCodeAnswer = {
  session: Session
  recoveryCode: string
}

export type SignInWithRecoveryCodeInput = {
  recoveryCode: string
}

export type SignedDownloadInput = {
  fileId: string
  expires: string
  signature: string
  /** `attachment`: browsers save the file under its name instead of showing it */
  disposition?: 'attachment' | undefined
}

export type StartRunInput = {
  kind: 'reconcile' | 'verify'
  dryRun?: boolean | undefined
  /** For reconcile: only files after this ID */
  after?: string | undefined
  /** For verify: number of random files; default: all */
  sample?: number | undefined
  /** For verify: only this network */
  network?: string | undefined
}

export type TestWebhookInput = {
  webhookId: string
}

export type TimelineEntry = {
  id: string
  /** `upload.requested`, `file.hot`, `file.synced`, `file.cold`, `file.error`: the new status. `file.changed`: renamed, moved, re-wrapped, or another expiry (`isRescheduled`). `retry.accepted`, `error.ended`: left `error` by a retry, or by a copy that was stored after all. `copy.planned`, `file.copied`, `copy.proved`: a copy is to be stored, was stored, was read back in full. `copy.mended`: damage next to intact bytes was repaired. `file.copy_lost`, `copy.failed`: the network lost the copy, or never stored it. `copy.leaving`, `copy.dropped`: is being removed, was removed. `store.failed`, `prove.failed`: one attempt failed (`attempt`, `reason`, `delaySeconds`). `evict.begun`: hot storage is released when the last download URL expires. `rehydrate.requested`, `.failed`, `.gave_up`, `.done`, `.dropped`: restoring to hot storage. `link.created`, `link.revoked`, `file.deleted`, `file.restored`, `file.published`. New types may be added */
  type: string
  at: string
  /** The new status, if the entry changed it */
  status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error' | null
  details: Record<string, string | number | boolean | null | string[] | Record<string, string>>
  /** Who did it; null: an automatic step */
  actor: {
    /** `api_key`, `jwt`, `passkey`, `recovery_code`, `set_up`, `development`, `link`, `operator`, `system`, `job`; others may be added */
    method: string
    keyId: string | null
    /** The first characters of the API key */
    keyPrefix: string | null
    /** The user’s ID at the identity provider */
    subject: string | null
    /** With `job`: the job that acted for the caller */
    jobId?: string | undefined
    /** The link that an unauthenticated client used */
    linkId?: string | undefined
  } | null
  /** IP address that the gateway saw */
  clientAddress: string | null
  /** Null without a request */
  requestId: string | null
}

export type TrashFilesInput = {
  vaultId: string
  /** Files of this vault; duplicates are ignored */
  ids?: string[] | undefined
  /** All files whose path begins with this, as a job */
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
  /** ID of the content on the most preferred network that has a copy; null without a copy */
  storageNetworkBlobId: string | null
  /** Private vaults: the encrypted file key, as the client sent it */
  wrappedKey: string | null
  encryptionIv: string | null
  plaintextSizeBytes: number | null
  plaintextChecksumSha256: string | null
  /** Why the file is in `error`, as a sentence */
  error: string | null
  errorCode: string | null
  /** SHA-256 of the stored bytes; null until the first copy, unless uploaded in one request */
  checksumSha256: string | null
  /** The future `storageNetworkBlobId`, if already known */
  expectedBlobId: string | null
  /** Whether hot storage has the bytes */
  inHotCache: boolean
  /** Whether the bytes are being restored to hot storage */
  rehydrating: boolean
  syncAttempts: number
  /** When the first lease of its copies expires; leases are renewed before */
  leaseExpiresAt: string | null
  /** When the bytes may be removed from hot storage */
  hotUntil: string | null
  createdAt: string
  updatedAt: string
  confirmedAt: string | null
  syncedAt: string | null
  evictedAt: string | null
  deletedAt: string | null
  /** The file that this file replaced at its path, and that moved to the trash */
  replaces: string | null
  /** In the trash: the file that replaced this file at its path */
  replacedBy: string | null
  metadata: Record<string, string>
  tags: string[]
  sealedMetadata: string | null
  /** When the file automatically moves to the trash; null: never */
  expiresAt: string | null
  /** Not yet published: only the owner can list and read the file */
  awaitingReview: boolean
  /** When it is deleted permanently; null: immediately */
  purgeDueAt: string | null
}

export type UpdateFileInput = {
  fileId: string
  /** New name in the current folder */
  name?: string | undefined
  /** Instead of `name`: folders and the name */
  path?: string | undefined
  /** If the path is taken: `keep` both, `fail` with 409 `path_taken`, or `replace` the other file, which moves to the trash */
  onConflict?: 'keep' | 'fail' | 'replace' | undefined
  vaultId?: string | undefined
  /** Merged with the current metadata; null removes a pair, or all pairs */
  metadata?: Record<string, string | null> | null | undefined
  /** Replaces the current tags */
  tags?: string[] | null | undefined
  sealedMetadata?: string | null | undefined
  /** When the file automatically moves to the trash; null: never */
  expiresAt?: string | null | undefined
  /** Private vaults: the same file key in a new wrapping */
  wrappedKey?: string | undefined
}

export type UpdateVaultInput = {
  vaultId: string
  name?: string | undefined
  description?: string | undefined
  /** Default for new files: the time from their request until they automatically move to the trash; null: never */
  filesExpireAfterSeconds?: number | null | undefined
  /** Private vaults: the key with which its files are encrypted */
  keyId?: string | undefined
  /** The current key that `keyId` replaces */
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
    /** Bytes that the network bills for the copy */
    billedBytes: number
    /** When the lease of a copy stored now would expire; leases are renewed. Null: no lease */
    leaseExpiresAt: string | null
    /** In `currency`; null without a configured price */
    costPerMonth: number | null
  }>
  /** Sum of all networks */
  billedBytes: number
  /** Sum of all networks; null unless each has a price */
  costPerMonth: number | null
  /** Null without a configured price */
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
  /** Uploads and copies that became hot since the previous listed day */
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
  /** Created by an export and contains its files: private, but not encrypted by a client */
  isExport: boolean
  fileCount: number
  storageBytes: number
  filesExpireAfterSeconds: number | null
  /** Private vaults: identifies the key with which clients encrypt, if set. Reveals nothing about the key */
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
  /** HTTP status of the last attempt; 0 without a response */
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
  /** HTTP status of the last attempt; 0 without a response */
  statusCode: number
  success: boolean
  error: string | null
  durationMs: number | null
  createdAt: string
  nextAttemptAt: string | null
  /** The request body, byte for byte */
  body: string
  attemptLog: WebhookAttempt[]
}

export type WebhookFeedDelivery = {
  id: string
  webhookId: string
  event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error' | 'file.deleted' | 'file.restored' | 'file.purged' | 'file.copied' | 'file.copy_lost' | 'file.lease_expiring' | 'vault.created' | 'vault.deleted' | 'vault.restored'
  eventId: string
  attempts: number
  /** HTTP status of the last attempt; 0 without a response */
  statusCode: number
  success: boolean
  error: string | null
  durationMs: number | null
  createdAt: string
  nextAttemptAt: string | null
  /** A sample event, sent on request */
  isTest: boolean
  /** The request body, byte for byte */
  body: string
  /** Cursor that continues after this delivery */
  cursor: string
}

export type WebhookPayload = {
  event: 'file.hot' | 'file.synced' | 'file.cold' | 'file.error'
  timestamp: string
  data: {
    fileId: string
    fileName: string
    /** Folders and name; only for files in a folder */
    filePath?: string | undefined
    vaultId: string
    status: 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
    sizeBytes: number
    storageNetworkBlobId?: string | undefined
    error?: string | undefined
    /** Only for files that have some */
    metadata?: Record<string, string> | undefined
    tags?: string[] | undefined
    sealedMetadata?: string | undefined
    /** Only for files with an expiry: when the file automatically moves to the trash */
    expiresAt?: string | undefined
    /** The file that this file replaced at its path */
    replaces?: string | undefined
    /** The file that replaced this file at its path */
    replacedBy?: string | undefined
  }
}
