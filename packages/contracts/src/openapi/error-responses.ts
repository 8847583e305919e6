import { type ErrorCode, errorBody, errorStatus } from '../endpoint/errors.ts'
import { headers } from './headers.ts'
import type { SchemaBook } from './json-schema.ts'

const descriptions: Record<number, string> = {
  400: 'The request is not valid; `details` names the paths',
  401: 'The credentials are missing or not valid',
  403: 'Not allowed',
  404: 'Not there, or not yours',
  409: 'The state does not allow it',
  410: 'The content is lost',
  413: 'Too large',
  415: 'The body is not JSON',
  416: 'The file has no such range',
  429: 'Too many',
  500: 'A fault of the service',
  503: 'Something this needs is not available right now',
}

/** Sets of codes that many endpoints answer with one status; the rest is spelled out where it happens. */
const shared: Record<string, ErrorCode[]> = {
  BadRequest: ['validation_failed'],
  Unauthenticated: ['unauthenticated', 'api_key_revoked', 'api_key_expired'],
  Forbidden: ['insufficient_scope'],
  NotFound: ['not_found'],
  TooLarge: ['too_large'],
  NotJson: ['unsupported_media_type'],
  NoSuchRange: ['range_not_satisfiable'],
  RateLimited: ['rate_limited'],
  Internal: ['internal'],
  Unavailable: ['unavailable'],
}

/** The `responses` component that `errorResponses` refers to. */
export function sharedErrorResponses(book: SchemaBook) {
  return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, errorResponse(codes, book)]))
}

/** One response per status for these codes. */
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
