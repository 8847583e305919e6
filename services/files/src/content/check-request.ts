import type { contentQuery } from '@tideport/contracts/public/content'
import { mimeType } from '@tideport/contracts/public/mime-type'
import { fileName, filePath } from '@tideport/contracts/public/paths'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type InputPart, invalidInput, toInputIssues } from '@tideport/service-kit/http/invalid-input'
import { inOurWords } from '@tideport/service-kit/http/issue-words'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { checkPath } from '../files/file-place.ts'
import { encryptionIn } from '../uploads/encryption-fields.ts'
import { explainRefusal, findFault } from '../uploads/explain-refusal.ts'
import type { UploadLimits } from '../uploads/upload-limits.ts'

const DEFAULT_TYPE = 'application/octet-stream'

export interface ContentRequest {
  accountId: string
  vaultId: string
  path: string
  query: z.output<typeof contentQuery>
}

export interface ContentLimits extends UploadLimits {
  /** Of what one call takes. */
  directBytes: number
}

export function tooLargeForOneCall({ directBytes }: Pick<ContentLimits, 'directBytes'>): AppError {
  const sentence = `One call takes at most ${directBytes} bytes; request an upload (POST /api/files/upload), PUT the bytes to its uploadUrl, confirm it`
  return new AppError('too_large', sentence, { details: { maxSizeBytes: directBytes } })
}

/**
 * What is wrong with an upload in one call before any of its bytes are here, as far as that can be told by itself:
 * throws 400, 413. `sizeBytes` is 0 while it is not known.
 */
export function checkForm({ path }: ContentRequest, sizeBytes: number, limits: ContentLimits): void {
  // A name that stands alone may be longer than a part of a path.
  const isPlaced = path.includes('/')
  const named = (isPlaced ? filePath : fileName).safeParse(path, { error: inOurWords })
  if (!named.success) throw invalid('path', isPlaced ? 'path' : 'name', named.error)
  if (sizeBytes > limits.directBytes) throw tooLargeForOneCall(limits)
}

/**
 * Throws what the account's vault, its encryption, the limits of the account and a file at the path have against it:
 * 400, 403, 404, 409, 429.
 */
export async function checkVault(
  db: Kysely<FilesDb>,
  { accountId, vaultId, path, query }: ContentRequest,
  sizeBytes: number,
  limits: ContentLimits,
): Promise<void> {
  const fault = await findFault(db, accountId, { ...query, vaultId, sizeBytes, part: 'query' }, limits)
  if (fault) throw fault
  await checkPath(db, { accountId, vaultId, path, onConflict: query.onConflict })
}

/** Why the statement that creates the file has refused; looked up only then. */
export async function refusalOf(
  db: Kysely<FilesDb>,
  { accountId, vaultId, query }: ContentRequest,
  sizeBytes: number,
  limits: ContentLimits,
): Promise<AppError> {
  return await explainRefusal(db, accountId, { ...query, vaultId, sizeBytes, part: 'query' }, limits)
}

/** All four fields or none; some of them are for `refusalOf` to name. */
export const encryptionOf = ({ query }: ContentRequest) => encryptionIn(query)

/** The type of the bytes, as the request says; what no file may have is 400. */
export function typeOf(header: string | undefined): string {
  const type = mimeType.safeParse(header ?? DEFAULT_TYPE, { error: inOurWords })
  if (!type.success) throw invalid('headers', 'content-type', type.error)
  return type.data
}

function invalid(part: InputPart, path: string, error: z.ZodError): AppError {
  return invalidInput(part, toInputIssues(error, path))
}
