import type { IncomingMessage } from 'node:http'
import { AppError } from '@tideport/service-kit/process/app-error'

/** The length of a request's body. Null: it comes in chunks. */
export function lengthOf({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** What would be taken for all of a file, or for what was asked and held (RFC 9110 §14.5, §13.1). */
const UNHEEDED = ['content-range', 'if-match', 'if-none-match', 'if-unmodified-since'] as const

/**
 * The bytes are stored as they come, as all there is of a file, whatever stands at its path: compressed on the way they
 * would be other bytes than are meant (415), and parts and conditions are not for here (400).
 */
export function refuseUnlessWhole({ headers }: IncomingMessage): void {
  const unheeded = UNHEEDED.find((name) => headers[name] !== undefined)
  if (unheeded !== undefined) {
    throw new AppError('validation_failed', `An upload in one call cannot have the header ${unheeded}`)
  }
  const { 'content-encoding': encoding = 'identity' } = headers
  if (encoding.toLowerCase() === 'identity') return
  throw new AppError('unsupported_media_type', 'The bytes must not be sent with a Content-Encoding')
}
