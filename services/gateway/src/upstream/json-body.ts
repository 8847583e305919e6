import type { IncomingHttpHeaders } from 'node:http'
import { formType, isUtf8Json } from '@tideport/service-kit/http/body-parsers'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Accepts JSON, or a form where allowed (else 415), unparsed, up to the limit (else 413). The body may be empty
 * (docs/reference/http/conventions.md).
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else if (isEncoded(request.headers))
      done(new AppError('unsupported_media_type', 'The request body must not be compressed'))
    else if (isUtf8Json(request.headers['content-type']) || isForm(request)) done(null, body)
    else done(new AppError('unsupported_media_type', 'The request body must be JSON in UTF-8'))
  })
  // Fastify rejects an unsupported content type even if the body is empty.
  app.addHook('onRequest', ({ raw: { headers }, routeOptions }, _reply, done) => {
    if (routeOptions.config.takesBytes) return done()
    const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
    if (isEmpty) delete headers['content-type']
    done()
  })
}

function isForm({ headers, routeOptions }: FastifyRequest): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  return routeOptions.config.takesForm === true && type.trim().toLowerCase() === formType
}

function isEncoded({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean {
  return encoding.toLowerCase() !== 'identity'
}
