/** Exports of `@tideport/sdk`. Everything is a separate function, so a bundler includes only what is used. */
export type { BytesCall, Call, List, ListCall } from './client/call.ts'
export { type Client, type ClientOptions, createClient } from './client/create-client.ts'
export type { Put, PutBytes } from './client/put-bytes.ts'
export type { CallOptions } from './client/send.ts'
export { ApiError, type ErrorAnswer } from './errors/api-error.ts'
export * from './errors/generated/error-classes.ts'
export * from './errors/transfer-errors.ts'
export * from './generated/calls.ts'
export type * from './generated/shapes.ts'
export { type OpenLinkOptions, openLink, type SharedLink } from './links/open-link.ts'
export { type FollowJobOptions, followJob, JobFailedError, waitForJob } from './many/follow-job.ts'
export {
  copyMany,
  deleteMany,
  type Many,
  type ManyCall,
  type ManyOptions,
  type ManyOutcome,
  moveMany,
  publishMany,
  restoreMany,
  trashMany,
} from './many/many.ts'
export { type Download, type DownloadOptions, download } from './transfer/download.ts'
export type { ItemSource, Journal, JournalEntry, UploadItem } from './transfer/find-finished.ts'
export { type ManifestLine, type ManifestOptions, manifestLines } from './transfer/manifest-lines.ts'
export type { Progress } from './transfer/progress.ts'
export type { Piece, Source, Stream } from './transfer/source.ts'
export { upload } from './transfer/upload.ts'
export {
  type UploadManyOptions,
  type UploadOne,
  type UploadResult,
  uploadMany,
  uploadManyBy,
} from './transfer/upload-many.ts'
export type { Spooled, UploadFields, UploadOptions } from './transfer/upload-options.ts'
export { type WaitOptions, waitFor } from './transfer/wait-for.ts'
export { type FollowedDelivery, type FollowOptions, followWebhook, type Heartbeat } from './webhooks/follow-webhook.ts'
