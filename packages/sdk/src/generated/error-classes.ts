// Generated from packages/contracts by `npm run generate`. Do not edit.

import { ApiError } from '../errors/api-error.ts'

/** Every code this version knows; a newer service may answer others, which are an `ApiError`. */
export type ErrorCode =
  | 'validation_failed'
  | 'digest_mismatch'
  | 'unauthenticated'
  | 'api_key_revoked'
  | 'api_key_expired'
  | 'insufficient_scope'
  | 'outside_key_limits'
  | 'foreign_origin'
  | 'password_required'
  | 'wrong_password'
  | 'quota_exceeded'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'upload_incomplete'
  | 'upload_mismatch'
  | 'upload_lost'
  | 'upload_in_progress'
  | 'not_downloadable'
  | 'visibility_mismatch'
  | 'path_taken'
  | 'id_taken'
  | 'state_conflict'
  | 'content_lost'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'expectation_failed'
  | 'rate_limited'
  | 'key_bytes_spent'
  | 'too_many_open_uploads'
  | 'too_many_jobs'
  | 'too_many_api_keys'
  | 'too_many_links'
  | 'too_many_webhooks'
  | 'too_many_folders'
  | 'vault_not_empty'
  | 'misdirected_request'
  | 'idempotency_key_reused'
  | 'internal'
  | 'confirm_in_progress'
  | 'unavailable'
  | 'restoring'

/** `validation_failed` (400) */
export class ValidationFailedError extends ApiError {}

/** `digest_mismatch` (400) */
export class DigestMismatchError extends ApiError {}

/** `unauthenticated` (401) */
export class UnauthenticatedError extends ApiError {}

/** `api_key_revoked` (401) */
export class ApiKeyRevokedError extends ApiError {}

/** `api_key_expired` (401) */
export class ApiKeyExpiredError extends ApiError {}

/** `insufficient_scope` (403) */
export class InsufficientScopeError extends ApiError {}

/** `outside_key_limits` (403) */
export class OutsideKeyLimitsError extends ApiError {}

/** `foreign_origin` (403) */
export class ForeignOriginError extends ApiError {}

/** `password_required` (403) */
export class PasswordRequiredError extends ApiError {}

/** `wrong_password` (403) */
export class WrongPasswordError extends ApiError {}

/** `quota_exceeded` (403) */
export class QuotaExceededError extends ApiError {}

/** `not_found` (404) */
export class NotFoundError extends ApiError {}

/** `method_not_allowed` (405) */
export class MethodNotAllowedError extends ApiError {}

/** `request_timeout` (408) */
export class RequestTimeoutError extends ApiError {}

/** `upload_incomplete` (409) */
export class UploadIncompleteError extends ApiError {}

/** `upload_mismatch` (409) */
export class UploadMismatchError extends ApiError {}

/** `upload_lost` (409) */
export class UploadLostError extends ApiError {}

/** `upload_in_progress` (409) */
export class UploadInProgressError extends ApiError {}

/** `not_downloadable` (409) */
export class NotDownloadableError extends ApiError {}

/** `visibility_mismatch` (409) */
export class VisibilityMismatchError extends ApiError {}

/** `path_taken` (409) */
export class PathTakenError extends ApiError {}

/** `id_taken` (409) */
export class IdTakenError extends ApiError {}

/** `state_conflict` (409) */
export class StateConflictError extends ApiError {}

/** `content_lost` (410) */
export class ContentLostError extends ApiError {}

/** `too_large` (413) */
export class TooLargeError extends ApiError {}

/** `unsupported_media_type` (415) */
export class UnsupportedMediaTypeError extends ApiError {}

/** `range_not_satisfiable` (416) */
export class RangeNotSatisfiableError extends ApiError {}

/** `expectation_failed` (417) */
export class ExpectationFailedError extends ApiError {}

/** `rate_limited` (429) */
export class RateLimitedError extends ApiError {}

/** `key_bytes_spent` (429) */
export class KeyBytesSpentError extends ApiError {}

/** `too_many_open_uploads` (429) */
export class TooManyOpenUploadsError extends ApiError {}

/** `too_many_jobs` (429) */
export class TooManyJobsError extends ApiError {}

/** `too_many_api_keys` (409) */
export class TooManyApiKeysError extends ApiError {}

/** `too_many_links` (409) */
export class TooManyLinksError extends ApiError {}

/** `too_many_webhooks` (409) */
export class TooManyWebhooksError extends ApiError {}

/** `too_many_folders` (409) */
export class TooManyFoldersError extends ApiError {}

/** `vault_not_empty` (409) */
export class VaultNotEmptyError extends ApiError {}

/** `misdirected_request` (421) */
export class MisdirectedRequestError extends ApiError {}

/** `idempotency_key_reused` (422) */
export class IdempotencyKeyReusedError extends ApiError {}

/** `internal` (500) */
export class InternalError extends ApiError {}

/** `confirm_in_progress` (503) */
export class ConfirmInProgressError extends ApiError {}

/** `unavailable` (503) */
export class UnavailableError extends ApiError {}

/** `restoring` (503) */
export class RestoringError extends ApiError {}

export const errorClasses: Record<string, typeof ApiError> = {
  validation_failed: ValidationFailedError,
  digest_mismatch: DigestMismatchError,
  unauthenticated: UnauthenticatedError,
  api_key_revoked: ApiKeyRevokedError,
  api_key_expired: ApiKeyExpiredError,
  insufficient_scope: InsufficientScopeError,
  outside_key_limits: OutsideKeyLimitsError,
  foreign_origin: ForeignOriginError,
  password_required: PasswordRequiredError,
  wrong_password: WrongPasswordError,
  quota_exceeded: QuotaExceededError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  request_timeout: RequestTimeoutError,
  upload_incomplete: UploadIncompleteError,
  upload_mismatch: UploadMismatchError,
  upload_lost: UploadLostError,
  upload_in_progress: UploadInProgressError,
  not_downloadable: NotDownloadableError,
  visibility_mismatch: VisibilityMismatchError,
  path_taken: PathTakenError,
  id_taken: IdTakenError,
  state_conflict: StateConflictError,
  content_lost: ContentLostError,
  too_large: TooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  range_not_satisfiable: RangeNotSatisfiableError,
  expectation_failed: ExpectationFailedError,
  rate_limited: RateLimitedError,
  key_bytes_spent: KeyBytesSpentError,
  too_many_open_uploads: TooManyOpenUploadsError,
  too_many_jobs: TooManyJobsError,
  too_many_api_keys: TooManyApiKeysError,
  too_many_links: TooManyLinksError,
  too_many_webhooks: TooManyWebhooksError,
  too_many_folders: TooManyFoldersError,
  vault_not_empty: VaultNotEmptyError,
  misdirected_request: MisdirectedRequestError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  internal: InternalError,
  confirm_in_progress: ConfirmInProgressError,
  unavailable: UnavailableError,
  restoring: RestoringError,
}
