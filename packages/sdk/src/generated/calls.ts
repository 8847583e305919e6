// Generated from packages/contracts by `npm run generate`. Do not edit.

import { bytesCall, call, listCall } from '../client/call.ts'
import type {
  Account,
  ApiKey,
  BeginSetUpAnswer,
  BeginSetUpInput,
  CancelJobInput,
  CancelRunInput,
  CompleteSetUpAnswer,
  CompleteSetUpInput,
  ConfirmUploadInput,
  CopyFilesInput,
  CreateApiKeyInput,
  CreateDownloadUrlsAnswer,
  CreateDownloadUrlsInput,
  CreateFileLinkInput,
  CreateFolderLinkInput,
  CreateVaultInput,
  CreateWebhookInput,
  CreatedApiKey,
  CreatedLink,
  CreatedWebhook,
  DeleteFileInput,
  DeleteFilesInput,
  DeletePasskeyInput,
  DeleteVaultInput,
  DeleteWebhookInput,
  DeletedFile,
  Download,
  DownloadFileInput,
  EmptyTrashAnswer,
  ExportAccountInput,
  FileRecord,
  Folder,
  ForgetFolderInput,
  Job,
  KeepFolderInput,
  Link,
  LinkContentInput,
  LinkedContentInput,
  ListAccountEventsAnswer,
  ListAccountEventsInput,
  ListApiKeysAnswer,
  ListApiKeysInput,
  ListDeadDeliveriesAnswer,
  ListDeadDeliveriesInput,
  ListDeadLettersAnswer,
  ListDeadLettersInput,
  ListDeliveriesAnswer,
  ListDeliveriesInput,
  ListFileEventsAnswer,
  ListFileEventsInput,
  ListFileLinksAnswer,
  ListFileLinksInput,
  ListFilesAnswer,
  ListFilesInput,
  ListFolderLinksAnswer,
  ListFolderLinksInput,
  ListJobsAnswer,
  ListJobsInput,
  ListLinksAnswer,
  ListLinksInput,
  ListOperatorEventsAnswer,
  ListOperatorEventsInput,
  ListOperatorWebhookEventsAnswer,
  ListOperatorWebhookEventsInput,
  ListPasskeysAnswer,
  ListRunsAnswer,
  ListRunsInput,
  ListTrashAnswer,
  ListTrashInput,
  ListUploadedPartsAnswer,
  ListUploadedPartsInput,
  ListVaultsAnswer,
  ListVaultsInput,
  ListWebhooksAnswer,
  ListWebhooksInput,
  ManyFiles,
  MoveFilesInput,
  OperatorOverview,
  OperatorRelease,
  OperatorRun,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  PublicBlobBytesInput,
  PublicContentInput,
  PublicFileBytesInput,
  PublicVaultAnswer,
  PublicVaultInput,
  PublishFilesInput,
  ReadApiKeyInput,
  ReadArchiveInput,
  ReadContentInput,
  ReadCopiesAnswer,
  ReadCopiesInput,
  ReadDeliveryInput,
  ReadFileInput,
  ReadJobInput,
  ReadLinkInput,
  ReadManifestInput,
  ReadOperatorNetworksAnswer,
  ReadRunInput,
  ReadTimelineAnswer,
  ReadTimelineInput,
  ReadUploadCostInput,
  ReadUsageAnswer,
  ReadUsageInput,
  ReadVaultInput,
  ReadVaultUsageAnswer,
  ReadVaultUsageInput,
  ReadWebhookFeedAnswer,
  ReadWebhookFeedInput,
  ReadWebhookInput,
  RedeliverInput,
  RedriveDeadLettersAnswer,
  RedriveDeadLettersInput,
  RedriveDeliveriesAnswer,
  RedriveDeliveriesInput,
  RehydrateFileInput,
  RenamePasskeyInput,
  RenewUploadUrlsAnswer,
  RenewUploadUrlsInput,
  ReplaceRecoveryCodeAnswer,
  RequestUploadAnswer,
  RequestUploadInput,
  RestoreFileInput,
  RestoreFilesInput,
  RestoreVaultInput,
  RetryFileInput,
  RevokeApiKeyInput,
  RevokeLinkInput,
  RevokedLink,
  RotateApiKeyInput,
  RotateWebhookSecretInput,
  RotatedWebhook,
  SignIn,
  SignInWithPasskeyAnswer,
  SignInWithPasskeyInput,
  SignInWithRecoveryCodeAnswer,
  SignInWithRecoveryCodeInput,
  SignedDownloadInput,
  StartRunInput,
  TestWebhookInput,
  TrashFilesInput,
  UpdateFileInput,
  UpdateVaultInput,
  UpdateWebhookInput,
  UploadCost,
  Vault,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WrittenFile,
  WrittenVault,
} from './shapes.ts'

/** Read how to sign in. The identity provider and this installation’s public client, with which an app can get tokens for people. API keys always work. */
export const readSignIn = /* @__PURE__ */ call<Record<never, never>, SignIn>('GET', '/api/sign-in', { isPublic: true, repeatable: true })

/** Begin a sign-in with a passkey. Returns 404 if passkeys do not work at `PUBLIC_URL`. The challenge is valid for five minutes. */
export const beginPasskeySignIn = /* @__PURE__ */ call<Record<never, never>, PasskeyRequestOptions>('POST', '/api/sign-in/passkey/options', { isPublic: true, repeatable: true })

/** Sign the owner in with a passkey. */
export const signInWithPasskey = /* @__PURE__ */ call<SignInWithPasskeyInput, SignInWithPasskeyAnswer>('POST', '/api/sign-in/passkey', { isPublic: true })

/** Sign the owner in with the recovery code. Uses up the code. Only this response has the new one. */
export const signInWithRecoveryCode = /* @__PURE__ */ call<SignInWithRecoveryCodeInput, SignInWithRecoveryCodeAnswer>('POST', '/api/sign-in/recovery-code', { isPublic: true })

/** Check a set-up token. Returns 404 for a wrong token, and for every token after the set-up. */
export const beginSetUp = /* @__PURE__ */ call<BeginSetUpInput, BeginSetUpAnswer>('POST', '/api/set-up/options', { isPublic: true, repeatable: true })

/** Create the owner. Uses up the token, and signs the owner in. Of several requests, one succeeds. If its response is lost, sign in with the passkey, or create a new token with `operator set-up-link`. */
export const completeSetUp = /* @__PURE__ */ call<CompleteSetUpInput, CompleteSetUpAnswer>('POST', '/api/set-up', { isPublic: true })

/** List the owner’s passkeys. Only for sessions of the owner. */
export const listPasskeys = /* @__PURE__ */ call<Record<never, never>, ListPasskeysAnswer>('GET', '/api/account/passkeys', { repeatable: true })

/** Begin to add a passkey. Only for sessions of the owner. Returns 404 if passkeys do not work at `PUBLIC_URL`. */
export const beginPasskey = /* @__PURE__ */ call<Record<never, never>, PasskeyCreationOptions>('POST', '/api/account/passkeys/options', { repeatable: true })

/** Add a passkey. Only for sessions of the owner. */
export const addPasskey = /* @__PURE__ */ call<Record<never, never>, Passkey>('POST', '/api/account/passkeys')

/** Rename a passkey. Only for sessions of the owner. */
export const renamePasskey = /* @__PURE__ */ call<RenamePasskeyInput, Passkey>('PATCH', '/api/account/passkeys/:passkeyId')

/** Delete a passkey. Only for sessions of the owner. The passkey cannot sign in any more. Existing sessions continue; revoke them as API keys. */
export const deletePasskey = /* @__PURE__ */ call<DeletePasskeyInput, Passkey>('DELETE', '/api/account/passkeys/:passkeyId', { repeatable: true })

/** Replace the recovery code. Only for sessions of the owner. Only this response has the new code. The old code no longer works. */
export const replaceRecoveryCode = /* @__PURE__ */ call<Record<never, never>, ReplaceRecoveryCodeAnswer>('POST', '/api/account/recovery-code')

/** Read your account. Usage and limits. `usage` includes the trash. */
export const readAccount = /* @__PURE__ */ call<Record<never, never>, Account>('GET', '/api/account', { repeatable: true })

/** Read your usage by day. Usage at the end of each day (UTC) and now, oldest first, including the trash. Kept for 400 days. Days before your first file, and days of an outage, are missing. */
export const readUsage = /* @__PURE__ */ call<ReadUsageInput, ReadUsageAnswer>('GET', '/api/account/usage', { repeatable: true })

/** List the audit log. Actions on this account’s keys, logins, and webhooks: by whom, from which address, and in which request. Newest first; kept for a year. For files and vaults: `/api/account/file-events`. */
export const listAccountEvents = /* @__PURE__ */ listCall<ListAccountEventsInput, ListAccountEventsAnswer, 'events'>('/api/account/events', 'events', { repeatable: true })

/** List the audit log of files and vaults. Actions on this account’s files and vaults: by whom, from which address, and in which request. Newest first. Kept while the file or vault exists, and for a year after its purge. `subjectId` selects one file or vault. If filters exclude almost everything, pages before the last one may be short or empty. */
export const listFileEvents = /* @__PURE__ */ listCall<ListFileEventsInput, ListFileEventsAnswer, 'events'>('/api/account/file-events', 'events', { repeatable: true })

/** Read the manifest of your account. One JSON object per line: your vaults and all confirmed files outside the trash, with their records and copies. With it, you can read all files from the storage networks without this service. The last line has the type `end`. Without that line, the manifest is incomplete. Repeat the request with the `cursor` of the last complete line that has one. Append the response after that line. */
export const readManifest = /* @__PURE__ */ bytesCall<ReadManifestInput>('/api/account/manifest', { repeatable: true })

/** Export your account. A job packs all confirmed files outside the trash into CARs of up to 256 MiB, with manifests that state where each file is. Without `target`, the CARs become files of a new private vault, `toVaultId`, and count toward the quota. With `target`, they become objects of your bucket, below the folder `to`. Also needs `files:read`. */
export const exportAccount = /* @__PURE__ */ call<ExportAccountInput, Job>('POST', '/api/account/export', { takesKey: true })

/** Create a vault. Everyone can read a public vault. A private vault has files that your client encrypted before the upload. Visibility never changes. */
export const createVault = /* @__PURE__ */ call<CreateVaultInput, Vault>('POST', '/api/vaults', { takesKey: true })

/** List vaults. */
export const listVaults = /* @__PURE__ */ listCall<ListVaultsInput, ListVaultsAnswer, 'vaults'>('/api/vaults', 'vaults', { repeatable: true })

/** Read a vault. */
export const readVault = /* @__PURE__ */ call<ReadVaultInput, Vault>('GET', '/api/vaults/:vaultId', { repeatable: true })

/** Update a vault. Changes the name, the description, or the expiry of new files; existing files keep theirs. Visibility and slug never change. `keyId` can be set once: 409 `state_conflict` if the vault has another key, unless `replacesKeyId` names that key. So of two clients that create a key at the same time, one gets the error. */
export const updateVault = /* @__PURE__ */ call<UpdateVaultInput, WrittenVault>('PATCH', '/api/vaults/:vaultId')

/** Move a vault to the trash. Rejected while the vault has files, unless `force` is set; then they move with it. The default vault cannot be deleted. */
export const deleteVault = /* @__PURE__ */ call<DeleteVaultInput, WrittenVault>('DELETE', '/api/vaults/:vaultId', { repeatable: true })

/** Restore a vault. Restores the vault and the files that were trashed with it. If another vault has its slug now, it gets the next free one. */
export const restoreVault = /* @__PURE__ */ call<RestoreVaultInput, WrittenVault>('POST', '/api/vaults/:vaultId/restore', { repeatable: true })

/** Read a vault’s usage by day. Usage at the end of each day (UTC) and now, oldest first, without the trash. Days on which the vault was empty are missing, too. */
export const readVaultUsage = /* @__PURE__ */ call<ReadVaultUsageInput, ReadVaultUsageAnswer>('GET', '/api/vaults/:vaultId/usage', { repeatable: true })

/** Read a file by its path. The bytes of the newest confirmed file at the path. Supports single ranges and conditional requests. With `download`, returns a URL as JSON instead. */
export const readContent = /* @__PURE__ */ bytesCall<ReadContentInput>('/api/vaults/:vaultId/content/*path', { repeatable: true })

/** Keep a folder. Lists with `delimiter` show the folder and its parents even without files. Files do not need kept folders. */
export const keepFolder = /* @__PURE__ */ call<KeepFolderInput, Folder>('PUT', '/api/vaults/:vaultId/folders/*path')

/** Stop keeping a folder. Lists then show the folder only while it contains a file. Its files stay. */
export const forgetFolder = /* @__PURE__ */ call<ForgetFolderInput, Folder>('DELETE', '/api/vaults/:vaultId/folders/*path', { repeatable: true })

/** Request an upload. Creates the file and returns a presigned URL. PUT the bytes there, then confirm. With `partSizeBytes`, each part has its own URL. */
export const requestUpload = /* @__PURE__ */ call<RequestUploadInput, RequestUploadAnswer>('POST', '/api/files/upload', { takesKey: true })

/** Estimate the cost of an upload. Billed bytes, lease, and (if prices are configured) cost of a file of this size on each storage network that would keep a copy. Creates nothing. */
export const readUploadCost = /* @__PURE__ */ call<ReadUploadCostInput, UploadCost>('POST', '/api/files/upload/cost')

/** Renew upload URLs. Returns fresh URLs for parts of an open upload. An upload in one PUT is part 1. */
export const renewUploadUrls = /* @__PURE__ */ call<RenewUploadUrlsInput, RenewUploadUrlsAnswer>('POST', '/api/files/:fileId/upload-urls', { repeatable: true })

/** List uploaded parts. The received parts of an open upload, so that a client can resume it. */
export const listUploadedParts = /* @__PURE__ */ call<ListUploadedPartsInput, ListUploadedPartsAnswer>('GET', '/api/files/:fileId/parts', { repeatable: true })

/** Confirm an upload. Checks that the bytes have arrived. The file is then hot, readable, and immutable. You can repeat the request. */
export const confirmUpload = /* @__PURE__ */ call<ConfirmUploadInput, WrittenFile>('POST', '/api/files/:fileId/confirm', { repeatable: true })

/** List files. Newest first by default. `meta.KEY=VALUE`, repeatable, selects files with these pairs in their metadata. If filters exclude almost everything, pages before the last one may be short or empty. */
export const listFiles = /* @__PURE__ */ listCall<ListFilesInput, ListFilesAnswer, 'files'>('/api/files', 'files', { repeatable: true })

/** Read a file’s record. The response has the ETag of the record for `If-Match`. It changes with each change by clients. */
export const readFile = /* @__PURE__ */ call<ReadFileInput, FileRecord>('GET', '/api/files/:fileId', { repeatable: true })

/** Update a file. Renames the file, or moves it to another folder or another vault of the same visibility. Changes its metadata, tags, expiry, or (in a private vault) wrapped key. The bytes never change. */
export const updateFile = /* @__PURE__ */ call<UpdateFileInput, WrittenFile>('PATCH', '/api/files/:fileId')

/** Retry a failed file. Moves a file out of `error` if its bytes exist, and stores failed copies again. */
export const retryFile = /* @__PURE__ */ call<RetryFileInput, WrittenFile>('POST', '/api/files/:fileId/retry')

/** Restore a cold file to hot storage. For a limited time, to make reads faster. The status stays `cold`; `rehydrating` and `inHotCache` show the progress. */
export const rehydrateFile = /* @__PURE__ */ call<RehydrateFileInput, WrittenFile>('POST', '/api/files/:fileId/rehydrate', { repeatable: true })

/** List a file’s copies. One entry for each storage network, in reading order, with the times of storing, proof, and checks. Recorded facts; the networks are not queried. */
export const readCopies = /* @__PURE__ */ call<ReadCopiesInput, ReadCopiesAnswer>('GET', '/api/files/:fileId/copies', { repeatable: true })

/** Read a file’s timeline. Every change of state, every attempt, and its outcome, oldest first. New types may be added. */
export const readTimeline = /* @__PURE__ */ listCall<ReadTimelineInput, ReadTimelineAnswer, 'timeline'>('/api/files/:fileId/timeline', 'timeline', { repeatable: true })

/** Get a download URL. The URL needs no credentials and expires. `source` states whether the bytes come from hot storage or from a storage network. */
export const downloadFile = /* @__PURE__ */ call<DownloadFileInput, Download>('GET', '/api/files/:fileId/download', { repeatable: true })

/** Download through a signed URL. The target of a `downloadUrl` with source `network`. Supports single ranges. */
export const signedDownload = /* @__PURE__ */ bytesCall<SignedDownloadInput>('/api/downloads/:fileId', { isPublic: true, repeatable: true })

/** Delete a file. Moves the file to the trash, or with `permanent` deletes it permanently. Aborts an unconfirmed upload. */
export const deleteFile = /* @__PURE__ */ call<DeleteFileInput, DeletedFile>('DELETE', '/api/files/:fileId', { repeatable: true })

/** Restore a file. Restores the file from the trash. A replaced file swaps with the file at its path; for that, a key needs the verb `delete`. */
export const restoreFile = /* @__PURE__ */ call<RestoreFileInput, WrittenFile>('POST', '/api/files/:fileId/restore', { repeatable: true })

/** List the trash. Files in the trash, including files of trashed vaults. */
export const listTrash = /* @__PURE__ */ listCall<ListTrashInput, ListTrashAnswer, 'files'>('/api/trash', 'files', { repeatable: true })

/** Empty the trash. Permanently deletes every file and vault in the trash. */
export const emptyTrash = /* @__PURE__ */ call<Record<never, never>, EmptyTrashAnswer>('DELETE', '/api/trash', { repeatable: true })

/** Move many files. Moves files to a folder. With `ids`, files keep only their names; with `prefix`, they keep the path after it. Each file always has either its old or its new path. Unconfirmed uploads do not move. */
export const moveFiles = /* @__PURE__ */ call<MoveFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/move', { takesKey: true })

/** Copy many files. Always a job. A key limited to verbs needs `read` and `upload`. Each copy is an independent file with the same bytes, metadata, and tags. Object storage copies hot bytes itself; cold bytes are read from a network. */
export const copyFiles = /* @__PURE__ */ call<CopyFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/copy', { takesKey: true })

/** Move many files to the trash. */
export const trashFiles = /* @__PURE__ */ call<TrashFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/trash', { takesKey: true })

/** Restore many files. Restores files from the trash. With `ids`, a replaced file swaps with the file at its path; with `prefix`, it stays in the trash. Keys without the verb `delete` get `path_taken` for swaps. To restore the vault itself, use `/restore`. */
export const restoreFiles = /* @__PURE__ */ call<RestoreFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/restore-files', { takesKey: true })

/** Publish received files. Publishes files that upload links received for review (`awaitingReview`). Then everyone can list and read them. Publishing cannot be undone and can be repeated. */
export const publishFiles = /* @__PURE__ */ call<PublishFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/publish', { takesKey: true })

/** Delete many files permanently. With `ids`: files anywhere, including uploads and the trash. With `prefix`: files outside the trash, or in it. */
export const deleteFiles = /* @__PURE__ */ call<DeleteFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/delete', { takesKey: true })

/** Get URLs to download many files. The response of `GET /api/files/{fileId}/download` for up to 1,000 files of a vault. */
export const createDownloadUrls = /* @__PURE__ */ call<CreateDownloadUrlsInput, CreateDownloadUrlsAnswer>('POST', '/api/vaults/:vaultId/download-urls', { repeatable: true })

/** Download many files as a ZIP. The confirmed files of a vault, or those below `prefix`, by path and without compression. Files of private vaults stay encrypted. Created while it is sent. Bytes and ETag stay the same while the files do: resume an interrupted download with `Range` and `If-Range`. */
export const readArchive = /* @__PURE__ */ bytesCall<ReadArchiveInput>('/api/vaults/:vaultId/archive', { repeatable: true })

/** List jobs. Newest first. Finished jobs stay listed for some time. */
export const listJobs = /* @__PURE__ */ listCall<ListJobsInput, ListJobsAnswer, 'jobs'>('/api/jobs', 'jobs', { repeatable: true })

/** Read a job. */
export const readJob = /* @__PURE__ */ call<ReadJobInput, Job>('GET', '/api/jobs/:jobId', { repeatable: true })

/** Cancel a job. After the response, the job changes nothing more. Completed changes remain. A finished job is returned unchanged. */
export const cancelJob = /* @__PURE__ */ call<CancelJobInput, Job>('POST', '/api/jobs/:jobId/cancel', { repeatable: true })

/** Download a public file. No credentials needed. Supports single ranges and conditional requests. */
export const publicFileBytes = /* @__PURE__ */ bytesCall<PublicFileBytesInput>('/api/public/files/:fileId', { isPublic: true, repeatable: true })

/** Download by blob ID. Finds a file in a public vault by the ID of its content on a storage network. */
export const publicBlobBytes = /* @__PURE__ */ bytesCall<PublicBlobBytesInput>('/api/public/blobs/:blobId', { isPublic: true, repeatable: true })

/** Browse a public vault. The vault and its readable files. No credentials needed. */
export const publicVault = /* @__PURE__ */ listCall<PublicVaultInput, PublicVaultAnswer, 'files'>('/api/public/vaults/:userId/:vaultSlug', 'files', { isPublic: true, repeatable: true })

/** Download from a public vault by path. The newest confirmed file at the path. No credentials needed. */
export const publicContent = /* @__PURE__ */ bytesCall<PublicContentInput>('/api/public/vaults/:userId/:vaultSlug/content/*path', { isPublic: true, repeatable: true })

/** Create a link to a file. Everyone with the link can read the file without an account, until the link expires, is used up, or is revoked. The link follows the file when it moves, but not a file that replaces it. */
export const createFileLink = /* @__PURE__ */ call<CreateFileLinkInput, CreatedLink>('POST', '/api/files/:fileId/links')

/** List the links to a file. Newest first. Inactive links stay listed for a week. */
export const listFileLinks = /* @__PURE__ */ listCall<ListFileLinksInput, ListFileLinksAnswer, 'links'>('/api/files/:fileId/links', 'links', { repeatable: true })

/** Create a link to a folder. Shares all current and future files whose paths begin with `prefix`, and nothing else. With `upload`, people upload files there instead and can read none. */
export const createFolderLink = /* @__PURE__ */ call<CreateFolderLinkInput, CreatedLink>('POST', '/api/vaults/:vaultId/links')

/** List the links to folders of a vault. */
export const listFolderLinks = /* @__PURE__ */ listCall<ListFolderLinksInput, ListFolderLinksAnswer, 'links'>('/api/vaults/:vaultId/links', 'links', { repeatable: true })

/** List all links. Links to files and folders, newest first. */
export const listLinks = /* @__PURE__ */ listCall<ListLinksInput, ListLinksAnswer, 'links'>('/api/links', 'links', { repeatable: true })

/** Read a link’s record. */
export const readLink = /* @__PURE__ */ call<ReadLinkInput, Link>('GET', '/api/links/:linkId', { repeatable: true })

/** Revoke a link. Requests that begin after the response are rejected. Cannot be undone; can be repeated. */
export const revokeLink = /* @__PURE__ */ call<RevokeLinkInput, RevokedLink>('DELETE', '/api/links/:linkId', { repeatable: true })

/** Download through a link. The bytes of the linked file. A GET from byte 0 is a download. With `maxDownloads`, later ranges are downloads too, unless they have the cookie of a download of the same file from the last 24 hours. */
export const linkContent = /* @__PURE__ */ bytesCall<LinkContentInput>('/s/:token/content', { isPublic: true, repeatable: true })

/** Download from a folder through a link. The bytes of the newest file at a path below the linked folder. */
export const linkedContent = /* @__PURE__ */ bytesCall<LinkedContentInput>('/s/:token/content/*path', { isPublic: true, repeatable: true })

/** Create an API key. Only this response has the key itself; the service stores its hash. With `s3`, it also has credentials for the S3 API, which grant the same as the key. A key grants no scope that its creator lacks. A key that is created with a key expires no later than that key and is revoked with it. It inherits the limits, and given limits may only be narrower. */
export const createApiKey = /* @__PURE__ */ call<CreateApiKeyInput, CreatedApiKey>('POST', '/api/auth/api-keys')

/** List API keys. */
export const listApiKeys = /* @__PURE__ */ listCall<ListApiKeysInput, ListApiKeysAnswer, 'apiKeys'>('/api/auth/api-keys', 'apiKeys', { repeatable: true })

/** Read an API key’s record. */
export const readApiKey = /* @__PURE__ */ call<ReadApiKeyInput, ApiKey>('GET', '/api/auth/api-keys/:apiKeyId', { repeatable: true })

/** Revoke an API key. Responds, after about one second, when every gateway rejects the key and all keys created with it. Cannot be undone. */
export const revokeApiKey = /* @__PURE__ */ call<RevokeApiKeyInput, ApiKey>('DELETE', '/api/auth/api-keys/:apiKeyId', { repeatable: true })

/** Replace an API key. Creates a key with the same name, scopes, limits, and lifetime. The old key expires after `overlapSeconds`, and so do keys created with it; both work until then. Credentials for the S3 API are replaced too. Requires a login, or the key that created the old key. */
export const rotateApiKey = /* @__PURE__ */ call<RotateApiKeyInput, CreatedApiKey>('POST', '/api/auth/api-keys/:apiKeyId/rotate')

/** Create a webhook. Only this response has the signing secret. */
export const createWebhook = /* @__PURE__ */ call<CreateWebhookInput, CreatedWebhook>('POST', '/api/webhooks')

/** List webhooks. */
export const listWebhooks = /* @__PURE__ */ listCall<ListWebhooksInput, ListWebhooksAnswer, 'webhooks'>('/api/webhooks', 'webhooks', { repeatable: true })

/** Read a webhook. */
export const readWebhook = /* @__PURE__ */ call<ReadWebhookInput, Webhook>('GET', '/api/webhooks/:webhookId', { repeatable: true })

/** Update a webhook. Changes the URL or events, or enables or disables the webhook. */
export const updateWebhook = /* @__PURE__ */ call<UpdateWebhookInput, Webhook>('PATCH', '/api/webhooks/:webhookId')

/** Delete a webhook. Also deletes its delivery log. */
export const deleteWebhook = /* @__PURE__ */ call<DeleteWebhookInput, Webhook>('DELETE', '/api/webhooks/:webhookId', { repeatable: true })

/** Send a test delivery. Sends a sample event now and returns the delivery. At most five per minute. */
export const testWebhook = /* @__PURE__ */ call<TestWebhookInput, WebhookDelivery>('POST', '/api/webhooks/:webhookId/test')

/** List deliveries. Newest first. One page scans at most 2,000 deliveries, so with filters it may be short. */
export const listDeliveries = /* @__PURE__ */ listCall<ListDeliveriesInput, ListDeliveriesAnswer, 'deliveries'>('/api/webhooks/:webhookId/deliveries', 'deliveries', { repeatable: true })

/** Follow deliveries. Deliveries with their bodies, oldest first, after the `cursor` of the previous response; none is skipped. Without a cursor, future deliveries. With `waitSeconds`, an empty response waits for a delivery. */
export const readWebhookFeed = /* @__PURE__ */ call<ReadWebhookFeedInput, ReadWebhookFeedAnswer>('GET', '/api/webhooks/:webhookId/feed', { repeatable: true })

/** Read a delivery. The delivery with its body and every attempt. */
export const readDelivery = /* @__PURE__ */ call<ReadDeliveryInput, WebhookDeliveryWithAttempts>('GET', '/api/webhooks/:webhookId/deliveries/:deliveryId', { repeatable: true })

/** Redeliver. Sends a delivery again, whether it succeeded or not. */
export const redeliver = /* @__PURE__ */ call<RedeliverInput, WebhookDelivery>('POST', '/api/webhooks/:webhookId/deliveries/:deliveryId/redeliver')

/** Rotate the secret. Only this response has the new secret. Until `previousSecretValidUntil`, both secrets sign deliveries. */
export const rotateWebhookSecret = /* @__PURE__ */ call<RotateWebhookSecretInput, RotatedWebhook>('POST', '/api/webhooks/:webhookId/rotate-secret')

/** Read the state of the installation. Figures of all files, which one process collects in the background. Figures that were unavailable or are older than ten minutes are null. */
export const readOperatorOverview = /* @__PURE__ */ call<Record<never, never>, OperatorOverview>('GET', '/api/operator/overview', { repeatable: true })

/** Read the state of the storage networks. The responding process queries each network for at most ten seconds; other processes may reach different networks. The result of a slow network is in a later response. */
export const readOperatorNetworks = /* @__PURE__ */ call<Record<never, never>, ReadOperatorNetworksAnswer>('GET', '/api/operator/networks', { repeatable: true })

/** Read whether a newer release exists. With the setting `RELEASE_SITE_URL`, the responding process reads the newest release there at most once a day. Without it, no request leaves the installation. */
export const readOperatorRelease = /* @__PURE__ */ call<Record<never, never>, OperatorRelease>('GET', '/api/operator/release', { repeatable: true })

/** List dead letters. Files in error, failed copies of other files, and events that are invalid or unpublished for five minutes. Oldest first; copies by network. If filters exclude almost everything, pages before the last one may be short or empty. Costs as much as 5 requests. */
export const listDeadLetters = /* @__PURE__ */ listCall<ListDeadLettersInput, ListDeadLettersAnswer, 'deadLetters'>('/api/operator/dead-letters', 'deadLetters', { repeatable: true })

/** Retry dead letters. Retries files in error, or failed copies of other files on required networks, as their owner could: up to 100 per request, selected by `fileIds` or filters. A dry run unless `dryRun` is false. Retried files are no longer dead letters: without a dry run, continue with `cursor` for the rest, or start again. Costs one more request for every ten files. */
export const redriveDeadLetters = /* @__PURE__ */ call<RedriveDeadLettersInput, RedriveDeadLettersAnswer>('POST', '/api/operator/redrive')

/** List operators’ actions. Actions by HTTP, except on deliveries, newest first. Kept as long as the audit log. The logs of the accounts concerned show the effects with an operator as the actor. */
export const listOperatorEvents = /* @__PURE__ */ listCall<ListOperatorEventsInput, ListOperatorEventsAnswer, 'events'>('/api/operator/events', 'events', { repeatable: true })

/** Start reconcile or verify. Runs in the background and continues after crashes, one of each kind at a time. `reconcile` compares rows with S3 and the networks and, unless it is a dry run, corrects the rows. It deletes nothing on S3 or networks. `verify` reads copies back in full, at most as fast as regular checks; a dry run counts the copies and bytes. */
export const startRun = /* @__PURE__ */ call<StartRunInput, OperatorRun>('POST', '/api/operator/runs')

/** List runs. Newest first. Finished runs stay listed as long as jobs. */
export const listRuns = /* @__PURE__ */ listCall<ListRunsInput, ListRunsAnswer, 'runs'>('/api/operator/runs', 'runs', { repeatable: true })

/** Read a run. */
export const readRun = /* @__PURE__ */ call<ReadRunInput, OperatorRun>('GET', '/api/operator/runs/:runId', { repeatable: true })

/** Cancel a run. The run stops within seconds. Completed changes remain. A finished run is returned unchanged. */
export const cancelRun = /* @__PURE__ */ call<CancelRunInput, OperatorRun>('POST', '/api/operator/runs/:runId/cancel', { repeatable: true })

/** List dead-lettered deliveries. Of all accounts, oldest first. Does not include tests and deliveries skipped for disabled webhooks. Costs as much as 5 requests. */
export const listDeadDeliveries = /* @__PURE__ */ listCall<ListDeadDeliveriesInput, ListDeadDeliveriesAnswer, 'deadLetters'>('/api/operator/webhooks/dead-letters', 'deadLetters', { repeatable: true })

/** Redeliver dead letters. Schedules one more attempt for each, as its owner could: up to 100 per request, selected by `deliveryIds`, or all that failed permanently before the first request. A dry run unless `dryRun` is false. Continue with `cursor`. Costs one more request for every ten deliveries. */
export const redriveDeliveries = /* @__PURE__ */ call<RedriveDeliveriesInput, RedriveDeliveriesAnswer>('POST', '/api/operator/webhooks/redrive')

/** List operators’ actions on deliveries. Actions by HTTP, newest first. Kept as long as the audit log. */
export const listOperatorWebhookEvents = /* @__PURE__ */ listCall<ListOperatorWebhookEventsInput, ListOperatorWebhookEventsAnswer, 'events'>('/api/operator/webhooks/events', 'events', { repeatable: true })

/** Fields of an upload in one call. */
export const contentFields = ['id', 'wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256', 'onConflict', 'tag', 'sealedMetadata', 'checksumSha256', 'expiresAt', 'autoConfirm'] as const
