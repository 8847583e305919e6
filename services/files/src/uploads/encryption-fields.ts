import type { requestUpload } from '@tideport/contracts/public/files'
import type { Visibility } from '@tideport/contracts/public/vaults'
import type { NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { type InputPart, invalidInput } from '@tideport/service-kit/http/invalid-input'
import type { z } from 'zod'

const fields = ['wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256'] as const

export type Fields = Pick<z.output<typeof requestUpload.body>, (typeof fields)[number]>

/**
 * What a client tells of its encryption: all four fields, or none (null). Undefined: some of them, which no vault
 * takes.
 */
export function encryptionIn(body: Fields): NewUpload['encryption'] | undefined {
  const given = fields.filter((path) => body[path] != null)
  if (given.length === 0) return null
  return given.length === fields.length ? (body as NonNullable<NewUpload['encryption']>) : undefined
}

/**
 * All four in a private vault, none in a public one (docs/api.md §3). They are opaque here and kept exactly as sent.
 * Throws 400 that names every field at fault.
 */
export function checkEncryption(body: Fields, visibility: Visibility, part: InputPart): void {
  const isPrivate = visibility === 'private'
  const message = isPrivate ? 'Is required in a private vault' : 'Must not be sent for a public vault'
  const issues = fields.filter((path) => (body[path] == null) === isPrivate).map((path) => ({ path, message }))
  if (issues.length > 0) throw invalidInput(part, issues)
}
