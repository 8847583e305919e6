import { type ErrorCode, errorStatus } from '@tideport/contracts/endpoint/errors'
import type { FileFailure } from '@tideport/contracts/public/file-failure'
import { markdownTable } from './markdown-table.ts'

/** What each code means, and what the caller can do. */
const texts: Record<ErrorCode, [meaning: string, action: string]> = {
  validation_failed: ['The request is invalid.', 'Correct each fault in `details.issues`.'],
  digest_mismatch: ['The received bytes do not have the SHA-256 that was sent.', 'Send the file again.'],
  path_too_long: ['The path has more than 1,024 bytes, or a part or name is too long.', 'Shorten the path.'],
  invalid_part: [
    'Through the S3 API: a listed part does not exist, or its ETag or checksum differs.',
    'List the parts of the upload, and send missing ones again.',
  ],
  invalid_part_order: ['Through the S3 API: the listed parts are not in ascending order.', 'Sort the list.'],
  entity_too_small: ['Through the S3 API: a part other than the last one has less than 5 MiB.', 'Send larger parts.'],
  unauthenticated: ['Credentials are missing, malformed, unknown, or expired.', 'Send a valid key or token.'],
  api_key_revoked: ['The API key was revoked.', 'Use another key.'],
  api_key_expired: ['The API key has expired.', 'Use another key.'],
  insufficient_scope: ['The key does not have `details.requiredScope`.', 'Use a key with this scope.'],
  outside_key_limits: [
    'A limit of the key forbids the request; see `details.limit`.',
    'Use another key, or change the request.',
  ],
  foreign_origin: [
    'In development mode, a page of another origin sent a request without a token.',
    'Add its origin to `CORS_ORIGINS`.',
  ],
  password_required: ['The link has a password.', 'POST the password to the link, and keep the cookie.'],
  wrong_password: ['The password of the link is wrong.', 'Try another password. Attempts are limited.'],
  wrong_recovery_code: ['The recovery code is wrong or was used.', 'Use the code of the last sign-in or replacement.'],
  passkey_refused: ['The passkey does not sign in; see `details.reason`.', 'Follow `error`, or use the recovery code.'],
  quota_exceeded: [
    'The bytes do not fit into the account’s quota; the trash counts.',
    'Delete files permanently, or request a larger quota from the operator. [Usage](http/many-files.md#usage) shows the bytes.',
  ],
  not_found: [
    'The object or endpoint does not exist, or is not visible to the caller.',
    'Check the ID, account, and limits of the key.',
  ],
  method_not_allowed: ['The path exists, but not with this method.', 'Check the method.'],
  request_timeout: ['The body or headers did not arrive in time.', 'Send the request again.'],
  upload_incomplete: ['Bytes or parts are missing.', 'Upload what is missing, and confirm again.'],
  upload_mismatch: ['The uploaded bytes do not have the announced size or parts.', 'Upload again, and confirm.'],
  upload_lost: ['Object storage has lost the upload.', 'Request a new upload.'],
  upload_in_progress: ['The upload is being confirmed.', 'Repeat the request a few seconds later.'],
  not_downloadable: ['The upload is not confirmed.', 'Confirm the upload first.'],
  visibility_mismatch: [
    'The operation needs vaults of one visibility, or a public vault.',
    'Choose a vault of the visibility in `details`.',
  ],
  precondition_failed: [
    'The ETag of the file does not match `If-Match` or `If-None-Match`.',
    'Read the file again, and repeat the change with its current ETag, which is in `details`.',
  ],
  slug_taken: ['Another vault of the account has the slug.', 'Choose another slug.'],
  path_taken: [
    'Another file has the path, and `onConflict` is `fail`.',
    'Choose another path, or use `replace` or `keep`.',
  ],
  id_taken: ['A file or vault has, or had, the ID.', 'Choose a new UUIDv7.'],
  state_conflict: [
    'The current state does not allow the request, or another request changed it.',
    'Read the object again, and decide.',
  ],
  content_lost: [
    'No copy of the file’s bytes exists.',
    'If the operator can restore the network or bucket, retry. Otherwise, upload the file again.',
  ],
  too_large: ['The body, file, part, or archive exceeds the maximum in `details`.', 'Split it, or upload in parts.'],
  unsupported_media_type: [
    'The type, charset, or encoding of the body is not accepted.',
    'Send uncompressed JSON in UTF-8, or raw bytes of an accepted type.',
  ],
  range_not_satisfiable: ['The range is outside the file.', 'Request a range within `Content-Range`.'],
  expectation_failed: ['`Expect` has a value other than `100-continue`.', 'Remove the header.'],
  rate_limited: ['Too many requests.', 'Wait for `Retry-After`. [Limits](http/conventions.md#limits-and-rate-limits)'],
  key_bytes_spent: ['The key has used its `bytesPerDay`.', 'Wait until midnight UTC, or use another key.'],
  too_many_open_uploads: ['The account has too many unconfirmed uploads.', 'Confirm or delete some.'],
  too_many_jobs: ['The account has too many unfinished jobs.', 'Wait for one to finish, or cancel one.'],
  too_many_api_keys: ['The account has 1,000 valid keys.', 'Revoke some.'],
  too_many_passkeys: ['The owner has 20 passkeys.', 'Delete some.'],
  too_many_links: ['The account has 10,000 links; revoked ones count for a week.', 'Revoke some, and wait.'],
  too_many_webhooks: ['The account has 20 webhooks.', 'Delete one.'],
  too_many_folders: ['The vault keeps 1,000 folders.', 'Delete kept folders.'],
  vault_not_empty: ['The vault has files.', 'Delete them, or use `?force=true`.'],
  misdirected_request: [
    'Development mode does not accept this host.',
    'Use localhost, or add the host to `DEVELOPMENT_HOSTS`.',
  ],
  idempotency_key_reused: ['The `Idempotency-Key` was used with another request.', 'Use a new key.'],
  internal: ['The service failed unexpectedly.', 'Report the `X-Request-Id` to the operator.'],
  confirm_in_progress: ['Object storage is still completing the upload.', 'Confirm again after `Retry-After`.'],
  unavailable: ['A dependency is down or busy.', 'Repeat the request after `Retry-After`.'],
  restoring: [
    'The file is cold and all its copies are in an [archive class](../operate/networks/s3.md#use-an-archive-class), such as GLACIER or DEEP_ARCHIVE. Tideport has requested their restore, which can take hours.',
    'Repeat the request after `Retry-After`.',
  ],
}

/** Why a file is in `error`, or a copy in `failed`: the codes of `failures` in packages/file-lifecycle. */
const fileTexts: Record<string, [meaning: string, action: string]> = {
  sync_failed: [
    'The copy could not be stored after all attempts.',
    'Retry. If it fails again, report the file’s ID to the operator.',
  ],
  network_refused: [
    'The network does not accept the file.',
    'Ask the operator about the limits of the network, then retry.',
  ],
  size_mismatch: ['The stored bytes do not have the declared size.', 'Upload the file again. A retry is rejected.'],
  checksum_mismatch: [
    'The stored bytes do not have the declared SHA-256.',
    'Upload the file again. A retry is rejected.',
  ],
  hot_copy_missing: [
    'The bytes disappeared from hot storage before the first copy was stored.',
    'Retry after the operator has restored the bucket. Otherwise, upload the file again.',
  ],
  content_lost: texts.content_lost,
  interrupted: ['The worker stopped unexpectedly too many times while it stored the copy.', 'Retry.'],
}

/** `code` of a file that a bulk operation or a job could not change. */
const bulkTexts: Record<FileFailure, [meaning: string, action: string]> = {
  not_found: ['The vault has no such file, or the caller cannot see it.', 'Check the ID.'],
  upload_not_confirmed: ['The upload is not confirmed.', 'Confirm or delete the upload.'],
  path_taken: texts.path_taken,
  path_too_long: texts.path_too_long,
  state_conflict: ['Another request changed the file, or its state does not allow the change.', 'Read the file again.'],
  content_lost: texts.content_lost,
  quota_exceeded: texts.quota_exceeded,
}

/** `errorCode` of a failed job (packages/bulk-jobs, packages/export). */
const jobTexts: Record<string, [meaning: string, action: string]> = {
  bucket_failed: [
    'The bucket of an export rejects requests, is too slow, or its credentials cannot be decrypted.',
    'Read the job’s `error`, correct the bucket or its credentials, and start a new export.',
  ],
  internal: ['A part of the job failed repeatedly.', 'Report the job’s ID to the operator.'],
  quota_exceeded: texts.quota_exceeded,
  state_conflict: ['A vault of the job was moved to the trash.', 'Restore the vault, and start a new job.'],
}

const tableOf = (codes: Record<string, [meaning: string, action: string]>): string =>
  markdownTable(
    ['Code', 'Meaning', 'What to do'],
    Object.entries(codes).map(([code, text]) => [`\`${code}\``, ...text]),
  )

export function errorsPage(): string {
  const codes = Object.keys(errorStatus).toSorted() as ErrorCode[]
  const rows = codes.map((code) => [`\`${code}\``, String(errorStatus[code]), ...texts[code]])
  return `---
title: Error codes
description: What each error code of the HTTP API means, and what to do.
---

<!-- Generated by \`npm run generate\` from packages/contracts. Do not edit. -->

Find the \`code\` of an error response here. [HTTP conventions](http/conventions.md#responses-and-errors) describe the body;
OpenAPI lists the codes of each endpoint and their \`details\`.

${markdownTable(['Code', 'Status', 'Meaning', 'What to do'], rows)}

## Codes of files and jobs

These codes are in records and results, not in error responses.

### A file in the state \`error\`

\`errorCode\` of the file has the code. Timelines also show it as the \`reason\` of a failed copy.

${tableOf(fileTexts)}

### A file that a bulk operation could not change

\`code\` of a [result](http/many-files.md#bulk-operations), or of a job’s \`failures\`, has the code.

${tableOf(bulkTexts)}

### A failed job

\`errorCode\` of the [job](http/many-files.md#jobs) has the code.

${tableOf(jobTexts)}
`
}
