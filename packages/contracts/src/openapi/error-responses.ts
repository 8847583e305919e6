import { type ErrorCode, errorBody, errorStatus } from '../endpoint/errors.ts'
import { headers } from './headers.ts'
import type { SchemaBook } from './json-schema.ts'

const descriptions: Record<number, string> = {
  400: 'The request is invalid; `details` lists each fault with its path',
  401: 'Credentials are missing or invalid',
  403: 'Not permitted',
  404: 'Not found, or not visible to the caller',
  409: 'The request conflicts with the current state; `code` states how',
  410: 'The file’s bytes are lost',
  413: 'Too large',
  408: 'The body was not complete in time',
  415: 'The body has an unsupported type, charset, or encoding',
  416: 'The range is outside the file',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Temporarily unavailable; repeat the request after `Retry-After`',
}

/** Sets of codes that many endpoints return with one status. Operations list other sets themselves. */
const shared: Record<string, ErrorCode[]> = {
  BadRequest: ['validation_failed'],
  Unauthenticated: ['unauthenticated', 'api_key_revoked', 'api_key_expired'],
  Forbidden: ['insufficient_scope', 'outside_key_limits'],
  NotFound: ['not_found'],
  TooLarge: ['too_large'],
  NotJson: ['unsupported_media_type'],
  NoSuchRange: ['range_not_satisfiable'],
  RateLimited: ['rate_limited'],
  Internal: ['internal'],
  Unavailable: ['unavailable'],
}

export function sharedErrorResponses(book: SchemaBook) {
  return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, errorResponse(codes, book)]))
}

export function errorResponses(codes: Iterable<ErrorCode>, book: SchemaBook): Record<string, object> {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorStatus[code])
  const entries = [...byStatus].map(([status, ofStatus]) => {
    const name = Object.keys(shared).find((key) => isSameSet(shared[key] ?? [], ofStatus))
    return [status, name ? { $ref: `#/components/responses/${name}` } : errorResponse(ofStatus, book)] as const
  })
  return Object.fromEntries(entries)
}

function errorResponse(codes: ErrorCode[], book: SchemaBook) {
  const status = errorStatus[codes[0] as ErrorCode]
  const more = [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 416 ? (['Content-Range'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ]
  const schema = { allOf: [book.answer(errorBody)], properties: { code: { enum: codes.toSorted() } } }
  return {
    description: descriptions[status] ?? 'Refused',
    headers: headers('X-Request-Id', ...more),
    content: { 'application/json': { schema } },
  }
}

function isSameSet(a: ErrorCode[], b: ErrorCode[]): boolean {
  return a.length === b.length && a.every((code) => b.includes(code))
}
