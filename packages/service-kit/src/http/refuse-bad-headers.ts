import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

/**
 * Of these Node takes the first and says nothing of the others, or joins them, where a proxy before us may take the last.
 * (Of Content-Length its parser takes none but one; two of Authorization are no credential, and so 401.)
 */
const SINGLE = new Set(['host', 'content-type', 'idempotency-key'])

/**
 * Refuses requests with 400 whose headers cannot be what was meant: one that tells one thing is there twice, Host is
 * missing (RFC 9112 §3.2), or the body is in a coding that nobody here reads, and would pass for what it is coded of
 * (§6.1).
 */
export function refuseBadHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => done(faultIn(raw)))
}

function faultIn({ headers, httpVersion, rawHeaders }: IncomingMessage): AppError | undefined {
  const repeated = findRepeated(rawHeaders)
  if (repeated !== undefined) {
    return new AppError('validation_failed', `The request has more than one header ${repeated}`)
  }
  if (headers.host === undefined && httpVersion !== '1.0') {
    return new AppError('validation_failed', 'The request has no header host')
  }
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
  if (coding === 'chunked') return undefined
  return new AppError('validation_failed', 'Of transfer codings only chunked can be read')
}

/** Of names and values in turn. */
function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}
