import { S3Error } from '../errors.ts'

/** The values of each header by its lower-case name, in the order received. Node's `headers` drops some duplicates. */
export type HeaderLines = ReadonlyMap<string, readonly string[]>

/** Headers that decide who may do what to which object. With two values, two readers could see different ones. */
const SINGLE = [
  'host',
  'authorization',
  'date',
  'content-length',
  'x-amz-content-sha256',
  'x-amz-copy-source',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-security-token',
]

export function readHeaderLines(rawHeaders: readonly string[]): HeaderLines {
  const lines = new Map<string, string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    const value = rawHeaders[index + 1] as string
    const values = lines.get(name)
    if (values === undefined) lines.set(name, [value])
    else values.push(value)
  }
  const repeated = SINGLE.find((name) => (lines.get(name)?.length ?? 0) > 1)
  if (repeated !== undefined) throw new S3Error('InvalidRequest', `The header ${repeated} is present more than once.`)
  return lines
}

/** The headers that a signature must cover when the request has them. */
export function unsignedHeaders(lines: HeaderLines, signed: readonly string[]): string[] {
  const mustBeSigned = [...lines.keys()].filter((name) => name === 'host' || name.startsWith('x-amz-'))
  return mustBeSigned.filter((name) => !signed.includes(name)).toSorted()
}

/**
 * The canonical header lines. Clients agree on one space for many, but not on tabs, so a value with a tab has two forms.
 * Only ASCII whitespace counts: in a value of UTF-8 bytes, U+00A0 is half of a character.
 */
export function canonicalHeaders(lines: HeaderLines, signed: readonly string[]): string[] {
  const form = (collapse: (value: string) => string) =>
    signed.map((name) => `${name}:${(lines.get(name) ?? []).map(collapse).join(',')}\n`).join('')
  const usual = form((value) => trim(value).replace(/[\t\n\v\f\r ]+/g, ' '))
  const spacesOnly = form((value) => trim(value).replace(/ {2,}/g, ' '))
  return usual === spacesOnly ? [usual] : [usual, spacesOnly]
}

/** Not by a regular expression, which needs quadratic time for many spaces between words. */
function trim(value: string): string {
  let [start, end] = [0, value.length]
  while (start < end && WHITESPACE.has(value[start] as string)) start += 1
  while (end > start && WHITESPACE.has(value[end - 1] as string)) end -= 1
  return value.slice(start, end)
}

const WHITESPACE: ReadonlySet<string> = new Set('\t\n\v\f\r ')
