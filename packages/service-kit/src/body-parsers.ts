import type { FastifyInstance } from 'fastify'
import { AppError } from './app-error.ts'

/**
 * JSON or nothing. An empty body is no body, whatever its content type says; any other body must be JSON (415).
 * Too large → 413 and malformed → 400 come from Fastify.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parseJson(request, body as string, done)
  })
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.once('end', () => done(null, undefined))
    payload.once('error', done)
    payload.once('data', () => done(new AppError('unsupported_media_type', 'The request body must be JSON')))
  })
  // Fastify refuses a content type it cannot read even where there is nothing to parse.
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (isEmpty) delete headers['content-type']
  })
}
