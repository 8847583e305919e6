// Generated from packages/contracts by `npm run generate`. Do not edit.

import { bytesCall, call, listCall } from '../client/call.ts'
import type {
  Account,
  ApiKey,
  CancelJobInput,
  CancelRunInput,
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
  OperatorRun,
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
  RenewUploadUrlsAnswer,
  RenewUploadUrlsInput,
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

/** Read how to sign in. What a client for people needs to get a token: the identity provider and this installation’s public client there. API keys work in any case. */
export const readSignIn = /* @__PURE__ */ call<Record<never, never>, SignIn>('GET', '/api/sign-in', { isPublic: true, repeatable: true })

/** Read your account. Usage and limits. `usage` counts what is in the trash as well. */
export const readAccount = /* @__PURE__ */ call<Record<never, never>, Account>('GET', '/api/account', { repeatable: true })

/** Read your usage by day. What you had at the end of each day (UTC), and have now, oldest first; the trash is counted. Days are kept for 400 days. Missing are days before your first file, and those on which the service could not write them down. */
export const readUsage = /* @__PURE__ */ call<ReadUsageInput, ReadUsageAnswer>('GET', '/api/account/usage', { repeatable: true })

/** List the audit log. What was done to this account’s keys, logins and webhooks: by whom, from where, in which request. Newest first; kept for a year. What was done to files and vaults: `/api/account/file-events`. */
export const listAccountEvents = /* @__PURE__ */ listCall<ListAccountEventsInput, ListAccountEventsAnswer, 'events'>('/api/account/events', 'events', { repeatable: true })

/** List the audit log of files and vaults. What was done to this account’s files and vaults: by whom, from where, in which request. Newest first. Kept as long as the file or vault, and for a year after it is gone. With `subjectId`, all that was done to one. Where filters exclude almost everything, pages may be short or empty before the last one. */
export const listFileEvents = /* @__PURE__ */ listCall<ListFileEventsInput, ListFileEventsAnswer, 'events'>('/api/account/file-events', 'events', { repeatable: true })

/** Read the manifest of your account. One JSON object a line: your vaults and all confirmed files outside the trash, each with its record and where its copies lie, so that everything can be had from the storage networks without this service. The last line has the type `end`; without it the manifest was cut: ask again with the `cursor` of the last whole line that has one, and put the answer behind that line. */
export const readManifest = /* @__PURE__ */ bytesCall<ReadManifestInput>('/api/account/manifest', { repeatable: true })

/** Export your account. By a job: all confirmed files outside the trash, packed in CARs of up to 256 MiB, and manifests that say what is where. Without `target` they are files of a private vault that is made for them, `toVaultId`, and count in the quota; with it, objects of a bucket of yours, below the folder that `to` tells. Needs `files:read` as well. */
export const exportAccount = /* @__PURE__ */ call<ExportAccountInput, Job>('POST', '/api/account/export', { takesKey: true })

/** Create a vault. A public vault can be read by anyone. A private one holds files that your client encrypted before the upload. Visibility is final. */
export const createVault = /* @__PURE__ */ call<CreateVaultInput, Vault>('POST', '/api/vaults', { takesKey: true })

/** List vaults. */
export const listVaults = /* @__PURE__ */ listCall<ListVaultsInput, ListVaultsAnswer, 'vaults'>('/api/vaults', 'vaults', { repeatable: true })

/** Read a vault. */
export const readVault = /* @__PURE__ */ call<ReadVaultInput, Vault>('GET', '/api/vaults/:vaultId', { repeatable: true })

/** Update a vault. Changes the name, the description or how long new files stay; those that are there stay as they are. Visibility and slug never change. `keyId` is set once: 409 `state_conflict` where the vault has another key, so that of two clients that make a key at once one is told, unless `replacesKeyId` names that key. */
export const updateVault = /* @__PURE__ */ call<UpdateVaultInput, WrittenVault>('PATCH', '/api/vaults/:vaultId')

/** Move a vault to the trash. Refused while the vault holds files, unless `force` is set; then they go with it. The default vault stays. */
export const deleteVault = /* @__PURE__ */ call<DeleteVaultInput, WrittenVault>('DELETE', '/api/vaults/:vaultId', { repeatable: true })

/** Restore a vault. Takes the vault and the files that went with it back out of the trash. */
export const restoreVault = /* @__PURE__ */ call<RestoreVaultInput, WrittenVault>('POST', '/api/vaults/:vaultId/restore', { repeatable: true })

/** Read a vault’s usage by day. What it had at the end of each day (UTC), and has now, oldest first, without what is in the trash; missing are days on which it was empty, too. */
export const readVaultUsage = /* @__PURE__ */ call<ReadVaultUsageInput, ReadVaultUsageAnswer>('GET', '/api/vaults/:vaultId/usage', { repeatable: true })

/** Read a file by its path. The bytes of the confirmed file that was put there last. Supports single ranges and conditional requests. With `download` a URL for them instead, as JSON. */
export const readContent = /* @__PURE__ */ bytesCall<ReadContentInput>('/api/vaults/:vaultId/content/*path', { repeatable: true })

/** Keep a folder. Lists by `delimiter` tell the folder, and those that it is in, though no file is in it. Files need no folder that was kept. */
export const keepFolder = /* @__PURE__ */ call<KeepFolderInput, Folder>('PUT', '/api/vaults/:vaultId/folders/*path')

/** Keep a folder no longer. Lists tell it from now on only while a file is in it. Its files stay. */
export const forgetFolder = /* @__PURE__ */ call<ForgetFolderInput, Folder>('DELETE', '/api/vaults/:vaultId/folders/*path', { repeatable: true })

/** Request an upload. Creates the file and returns a presigned URL. PUT the bytes there, then confirm. With `partSizeBytes` the upload goes in parts, each with a URL of its own. */
export const requestUpload = /* @__PURE__ */ call<RequestUploadInput, RequestUploadAnswer>('POST', '/api/files/upload', { takesKey: true })

/** Read what an upload would cost. Tells what a file of this size would occupy on each storage network that keeps a copy of it, until when, and what that costs where prices are known. Nothing is created. */
export const readUploadCost = /* @__PURE__ */ call<ReadUploadCostInput, UploadCost>('POST', '/api/files/upload/cost')

/** Renew upload URLs. Returns fresh URLs for parts of an open upload. An upload in one PUT is part 1. */
export const renewUploadUrls = /* @__PURE__ */ call<RenewUploadUrlsInput, RenewUploadUrlsAnswer>('POST', '/api/files/:fileId/upload-urls', { repeatable: true })

/** List uploaded parts. Which parts of an open upload have arrived, so that a client can resume it. */
export const listUploadedParts = /* @__PURE__ */ call<ListUploadedPartsInput, ListUploadedPartsAnswer>('GET', '/api/files/:fileId/parts', { repeatable: true })

/** Confirm an upload. Checks that the bytes have arrived. The file is then hot, readable, and immutable. Safe to repeat. */
export const confirmUpload = /* @__PURE__ */ call<ConfirmUploadInput, WrittenFile>('POST', '/api/files/:fileId/confirm', { repeatable: true })

/** List files. Newest first unless sorted otherwise. `meta.KEY=VALUE`, as often as wanted, leaves the files that have these pairs in their metadata. Where filters exclude almost everything, pages may be short or empty before the last one. */
export const listFiles = /* @__PURE__ */ listCall<ListFilesInput, ListFilesAnswer, 'files'>('/api/files', 'files', { repeatable: true })

/** Read a file’s record. */
export const readFile = /* @__PURE__ */ call<ReadFileInput, FileRecord>('GET', '/api/files/:fileId', { repeatable: true })

/** Update a file. Renames it, moves it to another folder or to another vault of the same visibility or, in a private vault, replaces its wrapped key. The bytes never change. */
export const updateFile = /* @__PURE__ */ call<UpdateFileInput, WrittenFile>('PATCH', '/api/files/:fileId')

/** Retry a failed file. Takes a file out of `error` as long as its bytes are anywhere, and stores copies again that were given up. */
export const retryFile = /* @__PURE__ */ call<RetryFileInput, WrittenFile>('POST', '/api/files/:fileId/retry')

/** Bring a cold file back to hot storage. For a limited time, to make reads faster. The status stays `cold`; `rehydrating` and `inHotCache` show the progress. */
export const rehydrateFile = /* @__PURE__ */ call<RehydrateFileInput, WrittenFile>('POST', '/api/files/:fileId/rehydrate', { repeatable: true })

/** List a file’s copies. One entry for each storage network, in the order in which they are read: what was stored, proved and checked, and when. */
export const readCopies = /* @__PURE__ */ call<ReadCopiesInput, ReadCopiesAnswer>('GET', '/api/files/:fileId/copies', { repeatable: true })

/** Read a file’s timeline. Every change of state, every attempt and its outcome, oldest first. New types may be added. */
export const readTimeline = /* @__PURE__ */ listCall<ReadTimelineInput, ReadTimelineAnswer, 'timeline'>('/api/files/:fileId/timeline', 'timeline', { repeatable: true })

/** Get a download URL. The URL needs no credentials and expires. `source` says whether the bytes come from hot storage or from a storage network. */
export const downloadFile = /* @__PURE__ */ call<DownloadFileInput, Download>('GET', '/api/files/:fileId/download', { repeatable: true })

/** Download through a signed URL. What a `downloadUrl` with source `network` leads to. Supports single ranges. */
export const signedDownload = /* @__PURE__ */ bytesCall<SignedDownloadInput>('/api/downloads/:fileId', { isPublic: true, repeatable: true })

/** Delete a file. Moves it to the trash, or with `permanent` removes it for good. Aborts an upload that is not confirmed. */
export const deleteFile = /* @__PURE__ */ call<DeleteFileInput, DeletedFile>('DELETE', '/api/files/:fileId', { repeatable: true })

/** Restore a file. Takes it back out of the trash. A file that was replaced swaps with the file at its path, which a key needs the verb `delete` for. */
export const restoreFile = /* @__PURE__ */ call<RestoreFileInput, WrittenFile>('POST', '/api/files/:fileId/restore', { repeatable: true })

/** List the trash. Files in the trash, including those of vaults in the trash. */
export const listTrash = /* @__PURE__ */ listCall<ListTrashInput, ListTrashAnswer, 'files'>('/api/trash', 'files', { repeatable: true })

/** Empty the trash. Removes every file and vault in it for good. */
export const emptyTrash = /* @__PURE__ */ call<Record<never, never>, EmptyTrashAnswer>('DELETE', '/api/trash', { repeatable: true })

/** Move many files. To a folder: those that `ids` names keep their names and leave their folders behind, those below the folder `prefix` keep what follows it. Each has its old path or its new one at any time. Uploads that are not confirmed stay where they are. */
export const moveFiles = /* @__PURE__ */ call<MoveFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/move', { takesKey: true })

/** Copy many files. Always by a job. A key limited to verbs needs `read` and `upload`. Each copy is a file of its own, with the bytes, metadata and tags of the other one, and shares no fate with it. Hot bytes are copied by the object storage itself, cold ones are read from a network. */
export const copyFiles = /* @__PURE__ */ call<CopyFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/copy', { takesKey: true })

/** Move many files to the trash. */
export const trashFiles = /* @__PURE__ */ call<TrashFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/trash', { takesKey: true })

/** Restore many files. Takes them back out of the trash. A file that was replaced swaps when `ids` names it, and stays where it is with `prefix`. A key without the verb `delete` replaces no file: `path_taken`. The vault itself: `/restore`. */
export const restoreFiles = /* @__PURE__ */ call<RestoreFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/restore-files', { takesKey: true })

/** Publish received files. Ends the review of files that upload links received (`awaitingReview`). From then on everyone can list and read them. Publishing cannot be undone and can be repeated. */
export const publishFiles = /* @__PURE__ */ call<PublishFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/publish', { takesKey: true })

/** Delete many files for good. Those that `ids` names wherever they are, also uploads; those below `prefix` outside the trash, or in it. */
export const deleteFiles = /* @__PURE__ */ call<DeleteFilesInput, ManyFiles>('POST', '/api/vaults/:vaultId/delete', { takesKey: true })

/** Get URLs to download many files. What `GET /api/files/{fileId}/download` answers, for up to 1,000 files of a vault. */
export const createDownloadUrls = /* @__PURE__ */ call<CreateDownloadUrlsInput, CreateDownloadUrlsAnswer>('POST', '/api/vaults/:vaultId/download-urls', { repeatable: true })

/** Download many files as a ZIP. The confirmed files of a vault, or those below `prefix`, by their paths; stored as they are, made while it is sent. As long as they are the same, so are its bytes and its ETag: a download that broke off goes on with `Range` and `If-Range`. */
export const readArchive = /* @__PURE__ */ bytesCall<ReadArchiveInput>('/api/vaults/:vaultId/archive', { repeatable: true })

/** List jobs. Newest first, those that are over for as long as they are kept. */
export const listJobs = /* @__PURE__ */ listCall<ListJobsInput, ListJobsAnswer, 'jobs'>('/api/jobs', 'jobs', { repeatable: true })

/** Read a job. */
export const readJob = /* @__PURE__ */ call<ReadJobInput, Job>('GET', '/api/jobs/:jobId', { repeatable: true })

/** Cancel a job. From the answer on it changes nothing more; what it has done stays done. One that is over is answered as it is. */
export const cancelJob = /* @__PURE__ */ call<CancelJobInput, Job>('POST', '/api/jobs/:jobId/cancel', { repeatable: true })

/** Download a public file. No credentials needed. Supports single ranges and conditional requests. */
export const publicFileBytes = /* @__PURE__ */ bytesCall<PublicFileBytesInput>('/api/public/files/:fileId', { isPublic: true, repeatable: true })

/** Download by blob id. Finds a file in a public vault by the id of its content on a storage network. */
export const publicBlobBytes = /* @__PURE__ */ bytesCall<PublicBlobBytesInput>('/api/public/blobs/:blobId', { isPublic: true, repeatable: true })

/** Browse a public vault. The vault and its readable files. No credentials needed. */
export const publicVault = /* @__PURE__ */ listCall<PublicVaultInput, PublicVaultAnswer, 'files'>('/api/public/vaults/:userId/:vaultSlug', 'files', { isPublic: true, repeatable: true })

/** Download from a public vault by path. The confirmed file that was put there last. No credentials needed. */
export const publicContent = /* @__PURE__ */ bytesCall<PublicContentInput>('/api/public/vaults/:userId/:vaultSlug/content/*path', { isPublic: true, repeatable: true })

/** Create a link to a file. Whoever has the link reads the file, without an account, until the link ends: by its time, its downloads or its revocation. It leads to this very file wherever that is moved, not to one that replaces it. */
export const createFileLink = /* @__PURE__ */ call<CreateFileLinkInput, CreatedLink>('POST', '/api/files/:fileId/links')

/** List the links to a file. Newest first; those that have ended for a week after that. */
export const listFileLinks = /* @__PURE__ */ listCall<ListFileLinksInput, ListFileLinksAnswer, 'links'>('/api/files/:fileId/links', 'links', { repeatable: true })

/** Create a link to a folder. The same for all files whose paths begin with `prefix`, those to come included. What lies beside them is not told. With `upload` people put files there instead, and learn of none. */
export const createFolderLink = /* @__PURE__ */ call<CreateFolderLinkInput, CreatedLink>('POST', '/api/vaults/:vaultId/links')

/** List the links to folders of a vault. */
export const listFolderLinks = /* @__PURE__ */ listCall<ListFolderLinksInput, ListFolderLinksAnswer, 'links'>('/api/vaults/:vaultId/links', 'links', { repeatable: true })

/** List all links. To files and to folders, newest first. */
export const listLinks = /* @__PURE__ */ listCall<ListLinksInput, ListLinksAnswer, 'links'>('/api/links', 'links', { repeatable: true })

/** Read a link’s record. */
export const readLink = /* @__PURE__ */ call<ReadLinkInput, Link>('GET', '/api/links/:linkId', { repeatable: true })

/** Revoke a link. No request that begins after the answer is served. It cannot be undone, and can be repeated. */
export const revokeLink = /* @__PURE__ */ call<RevokeLinkInput, RevokedLink>('DELETE', '/api/links/:linkId', { repeatable: true })

/** Download by a link. The bytes of the file that the link leads to. A GET that begins at byte 0 is a download. Where downloads are bounded, one that begins later is one too, unless it has the cookie of a download of the same file that began within a day. */
export const linkContent = /* @__PURE__ */ bytesCall<LinkContentInput>('/s/:token/content', { isPublic: true, repeatable: true })

/** Download from a folder by a link. The same of the file that was put last at a path below the folder that the link leads to. */
export const linkedContent = /* @__PURE__ */ bytesCall<LinkedContentInput>('/s/:token/content/*path', { isPublic: true, repeatable: true })

/** Create an API key. The key itself is in this response only: we keep its hash. A key grants no scope that its creator lacks. One that is made with a key ends no later than that one, whatever it asks for, and is revoked with it. It has its limits: those that are given may only be narrower. */
export const createApiKey = /* @__PURE__ */ call<CreateApiKeyInput, CreatedApiKey>('POST', '/api/auth/api-keys')

/** List API keys. */
export const listApiKeys = /* @__PURE__ */ listCall<ListApiKeysInput, ListApiKeysAnswer, 'apiKeys'>('/api/auth/api-keys', 'apiKeys', { repeatable: true })

/** Read an API key’s record. */
export const readApiKey = /* @__PURE__ */ call<ReadApiKeyInput, ApiKey>('GET', '/api/auth/api-keys/:apiKeyId', { repeatable: true })

/** Revoke an API key. Answered, after a second or so, when the key is refused everywhere. So are all keys that were made with it; it cannot be undone. */
export const revokeApiKey = /* @__PURE__ */ call<RevokeApiKeyInput, ApiKey>('DELETE', '/api/auth/api-keys/:apiKeyId', { repeatable: true })

/** Replace an API key. Makes a key with the same name, scopes and limits, and as long a life. The old one ends after `overlapSeconds`, as do those that were made with it; both work until then. By a login, or with the key that the old one was made with. */
export const rotateApiKey = /* @__PURE__ */ call<RotateApiKeyInput, CreatedApiKey>('POST', '/api/auth/api-keys/:apiKeyId/rotate')

/** Create a webhook. The signing secret is in this response only. */
export const createWebhook = /* @__PURE__ */ call<CreateWebhookInput, CreatedWebhook>('POST', '/api/webhooks')

/** List webhooks. */
export const listWebhooks = /* @__PURE__ */ listCall<ListWebhooksInput, ListWebhooksAnswer, 'webhooks'>('/api/webhooks', 'webhooks', { repeatable: true })

/** Read a webhook. */
export const readWebhook = /* @__PURE__ */ call<ReadWebhookInput, Webhook>('GET', '/api/webhooks/:webhookId', { repeatable: true })

/** Update a webhook. Changes its URL or events, or switches it on or off. */
export const updateWebhook = /* @__PURE__ */ call<UpdateWebhookInput, Webhook>('PATCH', '/api/webhooks/:webhookId')

/** Delete a webhook. Its delivery history goes with it. */
export const deleteWebhook = /* @__PURE__ */ call<DeleteWebhookInput, Webhook>('DELETE', '/api/webhooks/:webhookId', { repeatable: true })

/** Send a test delivery. Sends a sample event now and returns what came of it. At most five a minute. */
export const testWebhook = /* @__PURE__ */ call<TestWebhookInput, WebhookDelivery>('POST', '/api/webhooks/:webhookId/test')

/** List deliveries. Newest first. One page looks through at most 2,000 deliveries, so with filters it may be short. */
export const listDeliveries = /* @__PURE__ */ listCall<ListDeliveriesInput, ListDeliveriesAnswer, 'deliveries'>('/api/webhooks/:webhookId/deliveries', 'deliveries', { repeatable: true })

/** Follow deliveries. Deliveries with their bodies, oldest first, from the `cursor` of the answer before on: none is left out, whatever happened in between. Without one, those that are made from now on. Where there are none, the answer waits for one. */
export const readWebhookFeed = /* @__PURE__ */ call<ReadWebhookFeedInput, ReadWebhookFeedAnswer>('GET', '/api/webhooks/:webhookId/feed', { repeatable: true })

/** Read a delivery. With its body and every attempt. */
export const readDelivery = /* @__PURE__ */ call<ReadDeliveryInput, WebhookDeliveryWithAttempts>('GET', '/api/webhooks/:webhookId/deliveries/:deliveryId', { repeatable: true })

/** Redeliver. Sends a delivery again, whether or not it succeeded. */
export const redeliver = /* @__PURE__ */ call<RedeliverInput, WebhookDelivery>('POST', '/api/webhooks/:webhookId/deliveries/:deliveryId/redeliver')

/** Rotate the secret. The new secret is in this response only. Until `previousSecretValidUntil` deliveries are signed with both. */
export const rotateWebhookSecret = /* @__PURE__ */ call<RotateWebhookSecretInput, RotatedWebhook>('POST', '/api/webhooks/:webhookId/rotate-secret')

/** Read how the installation is. Figures of all files together, taken in the background by one process for all. What could not be had in time, or is older than ten minutes, is null. */
export const readOperatorOverview = /* @__PURE__ */ call<Record<never, never>, OperatorOverview>('GET', '/api/operator/overview', { repeatable: true })

/** Read how the storage networks are. Each network is asked, for ten seconds at most, by the process that answers; another one may reach what it does not. What a slow one says is in one of the next answers. */
export const readOperatorNetworks = /* @__PURE__ */ call<Record<never, never>, ReadOperatorNetworksAnswer>('GET', '/api/operator/networks', { repeatable: true })

/** List what was given up. Files in error, copies that were given up of files that are well otherwise, and events that break their contract or have waited for five minutes; longest first, copies network by network. Where filters exclude almost everything, pages may be short or empty before the last one. Costs as much as 5 requests. */
export const listDeadLetters = /* @__PURE__ */ listCall<ListDeadLettersInput, ListDeadLettersAnswer, 'deadLetters'>('/api/operator/dead-letters', 'deadLetters', { repeatable: true })

/** Try again what was given up. As its owner could: files in error, or copies on required networks that were given up of files that are well; up to 100 in a call, named by `fileIds` or by the filters. Only says what it would do unless `dryRun` is false. What was tried is no dead letter any more: without a dry run, go on with `cursor` for what stayed, or begin anew. Costs a request more for every ten files. */
export const redriveDeadLetters = /* @__PURE__ */ call<RedriveDeadLettersInput, RedriveDeadLettersAnswer>('POST', '/api/operator/redrive')

/** List what operators did. By HTTP, but for deliveries, newest first; kept as long as the audit log. What that did to files is in the logs of their accounts, as an operator’s. */
export const listOperatorEvents = /* @__PURE__ */ listCall<ListOperatorEventsInput, ListOperatorEventsAnswer, 'events'>('/api/operator/events', 'events', { repeatable: true })

/** Start reconcile or verify. Goes on by itself, also when processes die, one of a kind at a time. `reconcile` compares rows with what S3 and the networks hold and, unless it is a dry run, brings the rows to it; it deletes nothing anywhere. `verify` reads copies back in full, no faster than checks may; a dry run tells how many copies and bytes that would be. */
export const startRun = /* @__PURE__ */ call<StartRunInput, OperatorRun>('POST', '/api/operator/runs')

/** List runs. Newest first, those that are over for as long as jobs are kept. */
export const listRuns = /* @__PURE__ */ listCall<ListRunsInput, ListRunsAnswer, 'runs'>('/api/operator/runs', 'runs', { repeatable: true })

/** Read a run. */
export const readRun = /* @__PURE__ */ call<ReadRunInput, OperatorRun>('GET', '/api/operator/runs/:runId', { repeatable: true })

/** Cancel a run. It ends within seconds; what it has done stays done. One that is over is answered as it is. */
export const cancelRun = /* @__PURE__ */ call<CancelRunInput, OperatorRun>('POST', '/api/operator/runs/:runId/cancel', { repeatable: true })

/** List deliveries that were given up. Of all accounts, up to now; longest first. Tests, and what was skipped because its webhook was switched off, are none of them. Costs as much as 5 requests. */
export const listDeadDeliveries = /* @__PURE__ */ listCall<ListDeadDeliveriesInput, ListDeadDeliveriesAnswer, 'deadLetters'>('/api/operator/webhooks/dead-letters', 'deadLetters', { repeatable: true })

/** Send again what was given up. Plans one more attempt of each, as its owner could: up to 100 in a call, named by `deliveryIds`, or all that were given up before the first call. Only says what it would do unless `dryRun` is false. Go on with `cursor`. Costs a request more for every ten deliveries. */
export const redriveDeliveries = /* @__PURE__ */ call<RedriveDeliveriesInput, RedriveDeliveriesAnswer>('POST', '/api/operator/webhooks/redrive')

/** List what operators did to deliveries. By HTTP, newest first; kept as long as the audit log. */
export const listOperatorWebhookEvents = /* @__PURE__ */ listCall<ListOperatorWebhookEventsInput, ListOperatorWebhookEventsAnswer, 'events'>('/api/operator/webhooks/events', 'events', { repeatable: true })

/** Fields of an upload in one call. */
export const contentFields = ['id', 'wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256', 'onConflict', 'tag', 'sealedMetadata', 'checksumSha256', 'expiresAt', 'autoConfirm'] as const
