import { z } from 'zod'

export const errorStatus = {
  validation_failed: 400,
  digest_mismatch: 400,
  path_too_long: 400,
  invalid_part: 400,
  invalid_part_order: 400,
  entity_too_small: 400,
  unauthenticated: 401,
  api_key_revoked: 401,
  api_key_expired: 401,
  insufficient_scope: 403,
  outside_key_limits: 403,
  foreign_origin: 403,
  password_required: 403,
  wrong_password: 403,
  wrong_recovery_code: 403,
  passkey_refused: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  upload_incomplete: 409,
  upload_mismatch: 409,
  upload_lost: 409,
  upload_in_progress: 409,
  not_downloadable: 409,
  visibility_mismatch: 409,
  path_taken: 409,
  id_taken: 409,
  state_conflict: 409,
  content_lost: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  rate_limited: 429,
  key_bytes_spent: 429,
  too_many_open_uploads: 429,
  too_many_jobs: 429,
  too_many_api_keys: 409,
  too_many_passkeys: 409,
  too_many_links: 409,
  too_many_webhooks: 409,
  too_many_folders: 409,
  vault_not_empty: 409,
  slug_taken: 409,
  misdirected_request: 421,
  idempotency_key_reused: 422,
  internal: 500,
  confirm_in_progress: 503,
  unavailable: 503,
  restoring: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

const bytes = z.int().optional()

const passkeyRefusals = ['unknown', 'origin', 'challenge', 'verification', 'counter', 'invalid'] as const
export type PasskeyRefusal = (typeof passkeyRefusals)[number]

/** `details` of an error by code; other codes have none. Only facts that the caller may read. */
export const errorDetails = {
  validation_failed: z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) }),
  digest_mismatch: z.object({
    wrong: z.array(z.string()).describe('Headers and fields that do not match'),
    sha256: z.string(),
  }),
  invalid_part: z.object({ partNumber: z.int().optional() }),
  entity_too_small: z.object({ partNumber: z.int(), minSizeBytes: z.int() }),
  insufficient_scope: z.object({ requiredScope: z.string().nullable() }),
  outside_key_limits: z.object({ limit: z.string(), requiredVerb: z.string().optional() }),
  passkey_refused: z.object({ reason: z.enum(passkeyRefusals) }),
  quota_exceeded: z.object({ quotaBytes: z.int(), storageBytes: bytes, neededBytes: bytes }),
  upload_in_progress: z.object({ fileId: z.string() }),
  visibility_mismatch: z.object({ visibility: z.enum(['public', 'private']) }),
  path_taken: z.object({ fileId: z.string() }),
  precondition_failed: z.object({ etag: z.string().nullable().describe('Of the current file; null: none exists') }),
  state_conflict: z.object({ fileId: z.string().optional(), vaultId: z.string().optional() }),
  content_lost: z.object({ fileId: z.string(), path: z.string() }),
  too_large: z.object({ maxSizeBytes: bytes, maxPartSizeBytes: bytes, filesMax: z.int().optional() }),
  key_bytes_spent: z.object({ bytesPerDay: z.int() }),
  too_many_open_uploads: z.object({ openUploadsMax: z.int() }),
  too_many_links: z.object({ linksMax: z.int() }),
  vault_not_empty: z.object({ fileCount: z.int() }),
} satisfies Partial<Record<ErrorCode, z.ZodType>>

/** The body of every error response. The request ID is only in `X-Request-Id`, so equal errors have equal bytes. */
export const errorBody = z
  .object({
    error: z.string().describe('What failed, as a sentence for people'),
    code: z.enum(Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]]),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error' })

export type ErrorBody = z.infer<typeof errorBody>
