// Generated from packages/contracts by `npm run generate`. Do not edit.

import { ApiError } from '../api-error.ts'

/** Every code of this version. A newer service may return others, which are plain `ApiError`s. */
export type ErrorCode =
  | 'validation_failed'
  | 'digest_mismatch'
  | 'path_too_long'
  | 'invalid_part'
  | 'invalid_part_order'
  | 'entity_too_small'
  | 'unauthenticated'
  | 'api_key_revoked'
  | 'api_key_expired'
  | 'insufficient_scope'
  | 'outside_key_limits'
  | 'foreign_origin'
  | 'password_required'
  | 'wrong_password'
  | 'wrong_recovery_code'
  | 'passkey_refused'
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
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'expectation_failed'
  | 'rate_limited'
  | 'key_bytes_spent'
  | 'too_many_open_uploads'
  | 'too_many_jobs'
  | 'too_many_api_keys'
  | 'too_many_passkeys'
  | 'too_many_links'
  | 'too_many_webhooks'
  | 'too_many_folders'
  | 'vault_not_empty'
  | 'slug_taken'
  | 'misdirected_request'
  | 'idempotency_key_reused'
  | 'internal'
  | 'confirm_in_progress'
  | 'unavailable'
  | 'restoring'

/** `details` of an error, by its code; missing if the caller may not read the object. */
export interface ErrorDetails {
  validation_failed: {
    issues: Array<{
      path: string
      message: string
    }>
  }
  digest_mismatch: {
    /** Headers and fields that do not match */
    wrong: string[]
    sha256: string
  }
  invalid_part: {
    partNumber?: number | undefined
  }
  entity_too_small: {
    partNumber: number
    minSizeBytes: number
  }
  insufficient_scope: {
    requiredScope: string | null
  }
  outside_key_limits: {
    limit: string
    requiredVerb?: string | undefined
  }
  passkey_refused: {
    reason: 'unknown' | 'origin' | 'challenge' | 'verification' | 'counter' | 'invalid'
  }
  quota_exceeded: {
    quotaBytes: number
    storageBytes?: number | undefined
    neededBytes?: number | undefined
  }
  upload_in_progress: {
    fileId: string
  }
  visibility_mismatch: {
    visibility: 'public' | 'private'
  }
  path_taken: {
    fileId: string
  }
  precondition_failed: {
    /** Of the current file; null: none exists */
    etag: string | null
  }
  state_conflict: {
    fileId?: string | undefined
    vaultId?: string | undefined
  }
  content_lost: {
    fileId: string
    path: string
  }
  too_large: {
    maxSizeBytes?: number | undefined
    maxPartSizeBytes?: number | undefined
    filesMax?: number | undefined
  }
  key_bytes_spent: {
    bytesPerDay: number
  }
  too_many_open_uploads: {
    openUploadsMax: number
  }
  too_many_links: {
    linksMax: number
  }
  vault_not_empty: {
    fileCount: number
  }
}

/** `validation_failed` (400) */
export class ValidationFailedError extends ApiError {
  declare readonly code: 'validation_failed'
  declare readonly details: ErrorDetails['validation_failed'] | null
}

/** `digest_mismatch` (400) */
export class DigestMismatchError extends ApiError {
  declare readonly code: 'digest_mismatch'
  declare readonly details: ErrorDetails['digest_mismatch'] | null
}

/** `path_too_long` (400) */
export class PathTooLongError extends ApiError {
  declare readonly code: 'path_too_long'
}

/** `invalid_part` (400) */
export class InvalidPartError extends ApiError {
  declare readonly code: 'invalid_part'
  declare readonly details: ErrorDetails['invalid_part'] | null
}

/** `invalid_part_order` (400) */
export class InvalidPartOrderError extends ApiError {
  declare readonly code: 'invalid_part_order'
}

/** `entity_too_small` (400) */
export class EntityTooSmallError extends ApiError {
  declare readonly code: 'entity_too_small'
  declare readonly details: ErrorDetails['entity_too_small'] | null
}

/** `unauthenticated` (401) */
export class UnauthenticatedError extends ApiError {
  declare readonly code: 'unauthenticated'
}

/** `api_key_revoked` (401) */
export class ApiKeyRevokedError extends ApiError {
  declare readonly code: 'api_key_revoked'
}

/** `api_key_expired` (401) */
export class ApiKeyExpiredError extends ApiError {
  declare readonly code: 'api_key_expired'
}

/** `insufficient_scope` (403) */
export class InsufficientScopeError extends ApiError {
  declare readonly code: 'insufficient_scope'
  declare readonly details: ErrorDetails['insufficient_scope'] | null
}

/** `outside_key_limits` (403) */
export class OutsideKeyLimitsError extends ApiError {
  declare readonly code: 'outside_key_limits'
  declare readonly details: ErrorDetails['outside_key_limits'] | null
}

/** `foreign_origin` (403) */
export class ForeignOriginError extends ApiError {
  declare readonly code: 'foreign_origin'
}

/** `password_required` (403) */
export class PasswordRequiredError extends ApiError {
  declare readonly code: 'password_required'
}

/** `wrong_password` (403) */
export class WrongPasswordError extends ApiError {
  declare readonly code: 'wrong_password'
}

/** `wrong_recovery_code` (403) */
export class WrongRecoveryCodeError extends ApiError {
  declare readonly code: 'wrong_recovery_code'
}

/** `passkey_refused` (403) */
export class PasskeyRefusedError extends ApiError {
  declare readonly code: 'passkey_refused'
  declare readonly details: ErrorDetails['passkey_refused'] | null
}

/** `quota_exceeded` (403) */
export class QuotaExceededError extends ApiError {
  declare readonly code: 'quota_exceeded'
  declare readonly details: ErrorDetails['quota_exceeded'] | null
}

/** `not_found` (404) */
export class NotFoundError extends ApiError {
  declare readonly code: 'not_found'
}

/** `method_not_allowed` (405) */
export class MethodNotAllowedError extends ApiError {
  declare readonly code: 'method_not_allowed'
}

/** `request_timeout` (408) */
export class RequestTimeoutError extends ApiError {
  declare readonly code: 'request_timeout'
}

/** `upload_incomplete` (409) */
export class UploadIncompleteError extends ApiError {
  declare readonly code: 'upload_incomplete'
}

/** `upload_mismatch` (409) */
export class UploadMismatchError extends ApiError {
  declare readonly code: 'upload_mismatch'
}

/** `upload_lost` (409) */
export class UploadLostError extends ApiError {
  declare readonly code: 'upload_lost'
}

/** `upload_in_progress` (409) */
export class UploadInProgressError extends ApiError {
  declare readonly code: 'upload_in_progress'
  declare readonly details: ErrorDetails['upload_in_progress'] | null
}

/** `not_downloadable` (409) */
export class NotDownloadableError extends ApiError {
  declare readonly code: 'not_downloadable'
}

/** `visibility_mismatch` (409) */
export class VisibilityMismatchError extends ApiError {
  declare readonly code: 'visibility_mismatch'
  declare readonly details: ErrorDetails['visibility_mismatch'] | null
}

/** `path_taken` (409) */
export class PathTakenError extends ApiError {
  declare readonly code: 'path_taken'
  declare readonly details: ErrorDetails['path_taken'] | null
}

/** `id_taken` (409) */
export class IdTakenError extends ApiError {
  declare readonly code: 'id_taken'
}

/** `state_conflict` (409) */
export class StateConflictError extends ApiError {
  declare readonly code: 'state_conflict'
  declare readonly details: ErrorDetails['state_conflict'] | null
}

/** `content_lost` (410) */
export class ContentLostError extends ApiError {
  declare readonly code: 'content_lost'
  declare readonly details: ErrorDetails['content_lost'] | null
}

/** `precondition_failed` (412) */
export class PreconditionFailedError extends ApiError {
  declare readonly code: 'precondition_failed'
  declare readonly details: ErrorDetails['precondition_failed'] | null
}

/** `too_large` (413) */
export class TooLargeError extends ApiError {
  declare readonly code: 'too_large'
  declare readonly details: ErrorDetails['too_large'] | null
}

/** `unsupported_media_type` (415) */
export class UnsupportedMediaTypeError extends ApiError {
  declare readonly code: 'unsupported_media_type'
}

/** `range_not_satisfiable` (416) */
export class RangeNotSatisfiableError extends ApiError {
  declare readonly code: 'range_not_satisfiable'
}

/** `expectation_failed` (417) */
export class ExpectationFailedError extends ApiError {
  declare readonly code: 'expectation_failed'
}

/** `rate_limited` (429) */
export class RateLimitedError extends ApiError {
  declare readonly code: 'rate_limited'
}

/** `key_bytes_spent` (429) */
export class KeyBytesSpentError extends ApiError {
  declare readonly code: 'key_bytes_spent'
  declare readonly details: ErrorDetails['key_bytes_spent'] | null
}

/** `too_many_open_uploads` (429) */
export class TooManyOpenUploadsError extends ApiError {
  declare readonly code: 'too_many_open_uploads'
  declare readonly details: ErrorDetails['too_many_open_uploads'] | null
}

/** `too_many_jobs` (429) */
export class TooManyJobsError extends ApiError {
  declare readonly code: 'too_many_jobs'
}

/** `too_many_api_keys` (409) */
export class TooManyApiKeysError extends ApiError {
  declare readonly code: 'too_many_api_keys'
}

/** `too_many_passkeys` (409) */
export class TooManyPasskeysError extends ApiError {
  declare readonly code: 'too_many_passkeys'
}

/** `too_many_links` (409) */
export class TooManyLinksError extends ApiError {
  declare readonly code: 'too_many_links'
  declare readonly details: ErrorDetails['too_many_links'] | null
}

/** `too_many_webhooks` (409) */
export class TooManyWebhooksError extends ApiError {
  declare readonly code: 'too_many_webhooks'
}

/** `too_many_folders` (409) */
export class TooManyFoldersError extends ApiError {
  declare readonly code: 'too_many_folders'
}

/** `vault_not_empty` (409) */
export class VaultNotEmptyError extends ApiError {
  declare readonly code: 'vault_not_empty'
  declare readonly details: ErrorDetails['vault_not_empty'] | null
}

/** `slug_taken` (409) */
export class SlugTakenError extends ApiError {
  declare readonly code: 'slug_taken'
}

/** `misdirected_request` (421) */
export class MisdirectedRequestError extends ApiError {
  declare readonly code: 'misdirected_request'
}

/** `idempotency_key_reused` (422) */
export class IdempotencyKeyReusedError extends ApiError {
  declare readonly code: 'idempotency_key_reused'
}

/** `internal` (500) */
export class InternalError extends ApiError {
  declare readonly code: 'internal'
}

/** `confirm_in_progress` (503) */
export class ConfirmInProgressError extends ApiError {
  declare readonly code: 'confirm_in_progress'
}

/** `unavailable` (503) */
export class UnavailableError extends ApiError {
  declare readonly code: 'unavailable'
}

/** `restoring` (503) */
export class RestoringError extends ApiError {
  declare readonly code: 'restoring'
}

/** An error of a known code, with typed `details`. */
export type KnownError =
  | ValidationFailedError
  | DigestMismatchError
  | PathTooLongError
  | InvalidPartError
  | InvalidPartOrderError
  | EntityTooSmallError
  | UnauthenticatedError
  | ApiKeyRevokedError
  | ApiKeyExpiredError
  | InsufficientScopeError
  | OutsideKeyLimitsError
  | ForeignOriginError
  | PasswordRequiredError
  | WrongPasswordError
  | WrongRecoveryCodeError
  | PasskeyRefusedError
  | QuotaExceededError
  | NotFoundError
  | MethodNotAllowedError
  | RequestTimeoutError
  | UploadIncompleteError
  | UploadMismatchError
  | UploadLostError
  | UploadInProgressError
  | NotDownloadableError
  | VisibilityMismatchError
  | PathTakenError
  | IdTakenError
  | StateConflictError
  | ContentLostError
  | PreconditionFailedError
  | TooLargeError
  | UnsupportedMediaTypeError
  | RangeNotSatisfiableError
  | ExpectationFailedError
  | RateLimitedError
  | KeyBytesSpentError
  | TooManyOpenUploadsError
  | TooManyJobsError
  | TooManyApiKeysError
  | TooManyPasskeysError
  | TooManyLinksError
  | TooManyWebhooksError
  | TooManyFoldersError
  | VaultNotEmptyError
  | SlugTakenError
  | MisdirectedRequestError
  | IdempotencyKeyReusedError
  | InternalError
  | ConfirmInProgressError
  | UnavailableError
  | RestoringError

export const errorClasses: Record<string, typeof ApiError> = {
  validation_failed: ValidationFailedError,
  digest_mismatch: DigestMismatchError,
  path_too_long: PathTooLongError,
  invalid_part: InvalidPartError,
  invalid_part_order: InvalidPartOrderError,
  entity_too_small: EntityTooSmallError,
  unauthenticated: UnauthenticatedError,
  api_key_revoked: ApiKeyRevokedError,
  api_key_expired: ApiKeyExpiredError,
  insufficient_scope: InsufficientScopeError,
  outside_key_limits: OutsideKeyLimitsError,
  foreign_origin: ForeignOriginError,
  password_required: PasswordRequiredError,
  wrong_password: WrongPasswordError,
  wrong_recovery_code: WrongRecoveryCodeError,
  passkey_refused: PasskeyRefusedError,
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
  precondition_failed: PreconditionFailedError,
  too_large: TooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  range_not_satisfiable: RangeNotSatisfiableError,
  expectation_failed: ExpectationFailedError,
  rate_limited: RateLimitedError,
  key_bytes_spent: KeyBytesSpentError,
  too_many_open_uploads: TooManyOpenUploadsError,
  too_many_jobs: TooManyJobsError,
  too_many_api_keys: TooManyApiKeysError,
  too_many_passkeys: TooManyPasskeysError,
  too_many_links: TooManyLinksError,
  too_many_webhooks: TooManyWebhooksError,
  too_many_folders: TooManyFoldersError,
  vault_not_empty: VaultNotEmptyError,
  slug_taken: SlugTakenError,
  misdirected_request: MisdirectedRequestError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  internal: InternalError,
  confirm_in_progress: ConfirmInProgressError,
  unavailable: UnavailableError,
  restoring: RestoringError,
}
