import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

/**
 * Of these Node takes the first and says nothing of the others, or joins them, where a proxy before us may take the last.
 * (Of Content-Length its parser takes none but one; two of Authorization are no credential, and so 401.)
 */
const SINGLE = new Set(['host', 'content-type', 'idempotency-key'])

/** Refuses requests with 400 that have a header twice that tells one thing (RFC 9112 §3.2 for Host). */
export function refuseRepeatedHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { rawHeaders } }, _reply, done) => {
    const repeated = findRepeated(rawHeaders)
    if (repeated === undefined) return done()
    done(new AppError('validation_failed', `The request has more than one header ${repeated}`))
  })
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
