import type { Endpoint, Method } from '../endpoint/endpoint.ts'
import { fillParameters } from '../endpoint/path-shape.ts'
import type { CallInput } from '../endpoint/two-sides.ts'

/** A request as any HTTP client can send it. */
export interface ClientRequest {
  method: Method
  /** From the root, with its query. */
  path: string
  headers: Record<string, string>
  /** JSON, or null: none, or bytes, which are the caller's to send. */
  body: string | null
}

interface Parts {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  headers?: Record<string, unknown>
  body?: unknown
}

/**
 * The request that an endpoint takes. Throws a TypeError or URIError for a value that its place cannot hold unchanged.
 */
export function requestOf<E extends Endpoint>(endpoint: E, input: CallInput<E>): ClientRequest {
  const { params = {}, query, headers, body: sent } = input as Parts
  const body = endpoint.takesBytes ? undefined : sent
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, params) + (query ? serializeQuery(query) : ''),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(headers && Object.fromEntries(given(headers).map(([name, value]) => [name, String(value)]))),
    },
    body: body === undefined ? null : JSON.stringify(body),
  }
}

/** A dot segment would be resolved away before it is sent, encoded or not: another path than was meant. */
function fillPath(path: string, params: Record<string, unknown>): string {
  return fillParameters(path, (name, isRest) => {
    const value = params[name]
    const parts = isRest ? String(value).split('/') : [String(value)]
    if (value === undefined || parts.some((part) => /^\.{0,2}$/.test(part))) {
      throw new TypeError(`${name}: ${JSON.stringify(value)} cannot be a part of a path`)
    }
    return parts.map((part) => encodeURIComponent(part)).join('/')
  })
}

/** A list becomes a parameter for each of its items. */
function serializeQuery(query: Record<string, unknown>): string {
  const pairs = given(query).flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((v) => [name, v]))
  const text = pairs.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('=')).join('&')
  return text === '' ? '' : `?${text}`
}

function given(fields: Record<string, unknown>): [string, unknown][] {
  return Object.entries(fields).filter(([, value]) => value !== undefined)
}
