import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

/**
 * Headers that may occur once: Node uses the first value or joins them, and a proxy may use the last. Node's parser
 * already rejects a second Content-Length.
 */
const SINGLE = new Set(['host', 'content-type', 'idempotency-key'])

/**
 * Returns 400 for a repeated header, a missing Host (RFC 9112 §3.2), or a transfer coding other than chunked (§6.1),
 * because such a body would be stored without decoding.
 */
export function refuseBadHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => done(faultIn(raw)))
}

function faultIn({ headers, httpVersion, rawHeaders }: IncomingMessage): AppError | undefined {
  const repeated = findRepeated(rawHeaders)
  if (repeated !== undefined) {
    return new AppError('validation_failed', `The request has more than one ${repeated} header`)
  }
  if (headers.host === undefined && httpVersion !== '1.0') {
    return new AppError('validation_failed', 'The request has no Host header')
  }
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked'
  if (coding === 'chunked') return undefined
  return new AppError('validation_failed', 'Unsupported Transfer-Encoding. Only chunked is supported')
}

/** `rawHeaders` alternates names and values. */
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
