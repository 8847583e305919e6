import type { Endpoint } from '../endpoint.ts'
import { type ErrorCode, errorBody, errorStatus } from '../errors.ts'
import { headers } from './headers.ts'
import type { SchemaBook } from './json-schema.ts'

const phrases: Record<number, string> = {
  400: 'The request is not valid; `details` names the paths',
  401: 'The credentials are missing or not valid',
  403: 'Not allowed',
  404: 'Not there, or not yours',
  409: 'The state does not allow it',
  410: 'The content is lost',
  413: 'Too large',
  415: 'Not JSON',
  416: 'No such range',
  429: 'Too many',
  500: 'A fault of the service',
  503: 'Something this needs is not available right now',
}

/** Every response of an endpoint by status, errors included. */
export function responsesOf(endpoint: Endpoint, book: SchemaBook) {
  const codes = [...endpoint.errors, ...generalErrors(endpoint)]
  const byStatus = Map.groupBy(new Set(codes), (code) => errorStatus[code])
  const errors = [...byStatus].map(([status, codes]) => [status, errorResponse(endpoint, status, codes, book)])
  return { ...successes(endpoint, book), ...Object.fromEntries(errors) }
}

/** The same for HEAD: statuses and headers, no bodies. */
export function withoutBodies(responses: Record<string, object>) {
  const bare = Object.entries(responses).map(([status, response]) => [status, { ...response, content: undefined }])
  return Object.fromEntries(bare) as Record<string, object>
}

/** What any endpoint of this kind may answer (api.md §1). */
function generalErrors(endpoint: Endpoint): ErrorCode[] {
  const isBytes = 'bytes' in endpoint.success
  return [
    ...((endpoint.body || endpoint.query) && !isBytes ? (['validation_failed'] as const) : []),
    ...(endpoint.access === 'public'
      ? []
      : (['unauthenticated', 'api_key_revoked', 'api_key_expired', 'insufficient_scope'] as const)),
    ...(endpoint.body ? (['too_large', 'unsupported_media_type'] as const) : []),
    'rate_limited',
    'internal',
    'unavailable',
  ]
}

function errorResponse(endpoint: Endpoint, status: number, codes: ErrorCode[], book: SchemaBook) {
  const more = [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 416 ? (['Content-Range'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ]
  const schema = { allOf: [book.answer(errorBody)], properties: { code: { enum: codes.toSorted() } } }
  return {
    description: phrases[status] ?? 'Refused',
    headers: { ...commonHeaders(endpoint), ...headers(...more) },
    content: { 'application/json': { schema } },
  }
}

function successes(endpoint: Endpoint, book: SchemaBook) {
  const { success } = endpoint
  if ('schema' in success) {
    const content = { 'application/json': { schema: book.answer(success.schema) } }
    return { [success.status]: { description: endpoint.summary, headers: commonHeaders(endpoint), content } }
  }
  const known = { ...commonHeaders(endpoint), ...headers('ETag', 'Accept-Ranges', 'Last-Modified', 'Cache-Control') }
  const body = { ...known, ...headers('Content-Length', 'Content-Disposition') }
  const content = { '*/*': {} }
  return {
    200: { description: 'All bytes, with the file’s type', headers: body, content },
    206: { description: 'The bytes of the range', headers: { ...body, ...headers('Content-Range') }, content },
    304: { description: 'The bytes that `If-None-Match` names are still the right ones', headers: known },
  }
}

function commonHeaders(endpoint: Endpoint) {
  if (endpoint.access === 'public') return headers('X-Request-Id')
  return headers('X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')
}
