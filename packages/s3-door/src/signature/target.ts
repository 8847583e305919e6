import { S3Error } from '../errors.ts'

/** A request target as received. Nothing in it is decoded or normalized. */
export interface Target {
  path: string
  query: string
}

/** A parameter of a query. The strings contain bytes as characters (latin1), because queries need not be UTF-8. */
export type Parameter = readonly [name: string, value: string]

/** Splits at the first `?`. An absolute URL (`GET http://host/`) would name a second host, so it is refused. */
export function splitTarget(target: string): Target {
  if (!target.startsWith('/')) throw new S3Error('InvalidURI')
  const mark = target.indexOf('?')
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** `+` is a space, also for the signature, so that a signed value has one meaning. Bad escapes stay as they are. */
export function readQuery(query: string): Parameter[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return [decodeBytes(name.replaceAll('+', ' ')), decodeBytes(value.replaceAll('+', ' '))]
    })
}

export function canonicalQuery(parameters: readonly Parameter[]): string {
  return parameters
    .map(([name, value]) => [encodeBytes(name), encodeBytes(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/**
 * The path as received, then, if it differs, the path in the only spelling that AWS specifies, because some clients sign
 * that and send another one (`~` as `%7E`). Both name the same key: segments are decoded once, and `%2F` stays apart
 * from `/`.
 */
export function canonicalPaths(path: string): string[] {
  const strict = path
    .split('/')
    .map((segment) => encodeBytes(decodeBytes(segment)))
    .join('/')
  return strict === path ? [path] : [path, strict]
}

const ESCAPE = /%([0-9A-Fa-f]{2})/g
const RESERVED = /[^A-Za-z0-9\-._~]/g

function decodeBytes(text: string): string {
  return text.includes('%') ? text.replace(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))) : text
}

function encodeBytes(text: string): string {
  return text.replace(RESERVED, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
