import { isUtf8 } from 'node:buffer'
import { MIMEType } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may also be an HTML form. If a field occurs twice, the last value counts. */
    takesForm?: boolean
  }
}

export const formType = 'application/x-www-form-urlencoded'

/** Takes JSON, or a form if the route allows it (else 415). JSON must be UTF-8 (else 400). An empty body is none. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (bytes.length === 0) done(null, undefined)
    else if (!isUtf8Json(request.headers['content-type'])) done(notJson())
    else if (!isUtf8(bytes)) done(new AppError('validation_failed', 'The request body must be UTF-8'))
    else void parseJson(request, bytes.toString('utf8'), done)
  })
  app.addContentTypeParser(formType, { parseAs: 'string' }, ({ routeOptions }, body, done) => {
    if (body.length === 0) done(null, undefined)
    else if (!routeOptions.config.takesForm) done(notJson())
    else done(null, Object.fromEntries(new URLSearchParams(String(body))))
  })
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.once('end', () => done(null, undefined))
    payload.once('error', done)
    payload.once('data', () => done(notJson()))
  })
  // Fastify rejects an unreadable content type even if the body is empty.
  app.addHook('onRequest', async ({ raw: { headers }, routeOptions }) => {
    if (routeOptions.config.takesBytes) return
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (isEmpty) delete headers['content-type']
  })
}

function notJson(): AppError {
  return new AppError('unsupported_media_type', 'The request body must be JSON in UTF-8')
}

/** Whether a body of this `Content-Type` is JSON in UTF-8, the only charset of JSON (RFC 8259 §8.1). */
export function isUtf8Json(contentType = ''): boolean {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8')
  } catch {
    return false
  }
}
