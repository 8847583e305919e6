import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { ErrorCode } from '@tideport/contracts/endpoint/errors'
import type { Scope } from '@tideport/contracts/endpoint/scope'
import { type Effects, readingScope } from '@tideport/contracts/internal/effects'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { File } from '@tideport/contracts/public/files'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { AppError } from '@tideport/service-kit/process/app-error'

/** Whether a caller may read files, or what else the scope reads. */
export function mayRead({ scopes, limits }: AccountPrincipal, scope: Scope = 'files:read'): boolean {
  return (scopes === null || scopes.includes(scope)) && limits?.verbs?.includes('read') !== false
}

/** The key to remember of an upload, so that `isUploader` recognizes its caller. Null: the caller may read files anyway. */
export function uploaderOf(principal: AccountPrincipal): string | null {
  return mayRead(principal) ? null : (principal.keyId ?? null)
}

/** Whether a caller has requested the upload of a file that nobody has edited since. */
export function isUploader({ keyId }: AccountPrincipal, { uploaderKeyId }: Pick<FileRow, 'uploaderKeyId'>): boolean {
  return uploaderKeyId !== null && uploaderKeyId === keyId
}

/** Whether a caller sees what an upload still lacks: one that may not read files sees its own. */
export function isOpenTo(principal: AccountPrincipal, upload: Pick<FileRow, 'status' | 'uploaderKeyId'>): boolean {
  return upload.status !== 'uploading' || mayRead(principal) || isUploader(principal, upload)
}

const ownAnswers = new WeakSet<object>()

/** Marks a response about a file that its caller has just uploaded, and so may see; but not the file that it replaced. */
export function toUploader(file: File): File {
  const answer = { ...file, replaces: null }
  ownAnswers.add(answer)
  return answer
}

/** A response without what its caller may not read. */
export function withholdAnswer(
  { access }: Pick<Endpoint, 'access'>,
  { told }: Effects,
  principal: AccountPrincipal,
  answer: unknown,
): unknown {
  if (typeof answer !== 'object' || answer === null || ownAnswers.has(answer)) return answer
  return mayRead(principal, readingScope(access)) ? answer : told(answer as never)
}

/** Details of errors about what exists, as opposed to what was sent and what is allowed. */
const factsOf: Partial<Record<ErrorCode, readonly string[]>> = {
  path_taken: ['fileId'],
  state_conflict: ['vaultId'],
  vault_not_empty: ['fileCount'],
  quota_exceeded: ['storageBytes', 'neededBytes'],
}

/** An error without what its caller may not read. */
export function withholdDetails({ access }: Pick<Endpoint, 'access'>, principal: AccountPrincipal, error: unknown) {
  const facts = error instanceof AppError && factsOf[error.code]
  if (!facts || mayRead(principal, readingScope(access))) return error
  const { code, message, cause, retryAfterSeconds, details = {} } = error
  const left = Object.entries(details).filter(([name]) => !facts.includes(name))
  return new AppError(code, message, {
    cause,
    ...(left.length > 0 && { details: Object.fromEntries(left) }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
