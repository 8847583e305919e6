import type { IncomingMessage } from 'node:http'
import { AppError } from '@tideport/service-kit/process/app-error'

/** The length of a request's body. Null: it comes in chunks. */
export function lengthOf({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** They are stored as they come: compressed on the way they would be other bytes than are meant. */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = 'identity' } = headers
  if (encoding.toLowerCase() === 'identity') return
  throw new AppError('unsupported_media_type', 'The bytes must not be sent with a Content-Encoding')
}
