import type { z } from 'zod'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { ErrorCode } from '../endpoint/errors.ts'
import { errorResponses } from './error-responses.ts'
import { headers } from './headers.ts'
import type { SchemaBook } from './json-schema.ts'

export function responsesOf(endpoint: Endpoint, book: SchemaBook): Record<string, object> {
  return { ...successes(endpoint, book), ...errorResponses([...endpoint.errors, ...generalErrors(endpoint)], book) }
}

/** The responses of HEAD: no redirect, and no body, not even by reference. */
export function withoutBodies(responses: Record<string, object>): Record<string, object> {
  const answered = Object.entries(responses).filter(([status]) => status !== '302')
  const bare = answered.map(([status, response]) => {
    const { description = 'As for GET, without a body', headers } = response as {
      description?: string
      headers?: object
    }
    return [status, { description, ...(headers && { headers }) }] as const
  })
  return Object.fromEntries(bare)
}

function generalErrors(endpoint: Endpoint): ErrorCode[] {
  const hasChecks = endpoint.body !== undefined || endpoint.query !== undefined
  return [
    ...(hasChecks ? (['validation_failed'] as const) : []),
    ...credentialErrors(endpoint.access),
    ...('bytes' in endpoint.success ? (['precondition_failed'] as const) : []),
    ...(endpoint.body || endpoint.takesBytes ? (['too_large', 'unsupported_media_type'] as const) : []),
    'rate_limited',
    'internal',
    'unavailable',
  ]
}

function credentialErrors(access: Endpoint['access']): ErrorCode[] {
  if (access === 'public') return []
  const wrong = ['unauthenticated', 'api_key_revoked', 'api_key_expired'] as const
  return access === 'operator' ? [...wrong, 'not_found'] : [...wrong, 'insufficient_scope']
}

function successes(endpoint: Endpoint, book: SchemaBook) {
  const { success } = endpoint
  if ('schema' in success) {
    const content = { 'application/json': { schema: book.answer(success.schema) } }
    return {
      [success.status]: {
        description: endpoint.success.status === 201 ? 'Created' : 'OK',
        headers: commonHeaders(endpoint),
        content,
      },
    }
  }
  if ('page' in success && success.status === 303) return seeOtherResponses(success, endpoint, book)
  if ('page' in success) return { 200: pageResponse(success, endpoint, book) }
  const known = { ...commonHeaders(endpoint), ...headers('ETag', 'Accept-Ranges', 'Last-Modified', 'Cache-Control') }
  const body = { ...known, ...headers('Content-Length', 'Content-Disposition') }
  const json = success.orJson && { 'application/json': { schema: book.answer(success.orJson) } }
  const content = { '*/*': {} }
  return {
    200: { description: 'The complete file, with its own media type', headers: body, content: { ...content, ...json } },
    206: { description: 'The requested range', headers: { ...body, ...headers('Content-Range') }, content },
    ...(endpoint.path.startsWith('/api/public/') && { 302: redirect }),
    304: { description: 'Not modified: the ETag in `If-None-Match` still matches', headers: known },
  }
}

function pageResponse({ orJson }: { orJson?: z.ZodType }, endpoint: Endpoint, book: SchemaBook) {
  const json = orJson && { 'application/json': { schema: book.answer(orJson) } }
  return {
    description: 'A page for people; JSON for programs that accept JSON and no HTML',
    headers: { ...commonHeaders(endpoint), ...headers('Cache-Control') },
    content: { 'text/html': {}, ...json },
  }
}

function seeOtherResponses({ orJson }: { orJson: z.ZodType }, endpoint: Endpoint, book: SchemaBook) {
  const known = { ...commonHeaders(endpoint), ...headers('Cache-Control', 'Set-Cookie') }
  const content = { 'application/json': { schema: book.answer(orJson) } }
  return {
    200: { description: 'For programs that accept JSON and no HTML', headers: known, content },
    303: { description: 'To other clients: the next page', headers: { ...known, ...headers('Location') } },
  }
}

/** For GET only, and only if the installation is configured with `PUBLIC_READS=redirect`. */
const redirect = {
  description: 'The bytes are in the object storage, which supports ranges as well',
  headers: headers('X-Request-Id', 'Location', 'Cache-Control'),
}

function commonHeaders(endpoint: Endpoint) {
  if (endpoint.access === 'public') return headers('X-Request-Id')
  return headers('X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')
}
