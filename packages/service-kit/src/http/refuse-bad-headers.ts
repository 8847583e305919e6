import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

/** Node takes the first or joins them; a proxy may take the last. Its parser itself refuses a second Content-Length. */
const SINGLE = new Set(['host', 'content-type', 'idempotency-key'])

/** 400 for a repeated header, no Host (RFC 9112 §3.2), or a coded body, which would be stored as it is (§6.1). */
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
