import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { S3Error } from '../errors.ts'

const prefix = 'x-amz-meta-'
const MAX_BYTES = 2048

/**
 * Reads `x-amz-meta-*`, with lower-case names and the values of repeated headers joined. Values keep their bytes:
 * Node reads headers as Latin-1.
 */
export function readMetadata({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Record<string, string> {
  const pairs: [string, string][] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase()
    if (name.startsWith(prefix)) pairs.push([name.slice(prefix.length), rawHeaders[index + 1] as string])
  }
  return joinMetadata(pairs)
}

/** The metadata of form fields, whose values are UTF-8 in Latin-1 as those of headers are. */
export function joinMetadata(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const joined = new Map<string, string>()
  let size = 0
  for (const [name, value] of pairs) {
    const before = joined.get(name)
    size += before === undefined ? name.length + value.length : value.length + 1
    joined.set(name, before === undefined ? value : `${before},${value}`)
  }
  if (size > MAX_BYTES) {
    throw new S3Error('MetadataTooLarge', undefined, { Size: String(size), MaxSizeAllowed: String(MAX_BYTES) })
  }
  return Object.fromEntries(Array.from(joined, ([name, value]) => [name, fromHeader(value)]))
}

export function metadataHeaders(metadata: Record<string, string>): Record<string, string> {
  const entries = Object.entries(metadata).filter(([name]) => isHeaderName(name))
  return Object.fromEntries(entries.map(([name, value]) => [`${prefix}${name.toLowerCase()}`, toHeader(value)]))
}

/** Bytes that are no UTF-8 are stored as an encoded word (RFC 2047), and so is a value that looks like one of these. */
const encodedWord = /^=\?ISO-8859-1\?B\?([A-Za-z0-9+/=]*)\?=$/

/** The text of a header, which Node read as Latin-1. */
export function fromHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  const isKept = isUtf8(bytes) && !encodedWord.test(value)
  return isKept ? bytes.toString('utf8') : `=?ISO-8859-1?B?${bytes.toString('base64')}?=`
}

/** The bytes as they came. Control characters, which only the native API can store, are no header: they get encoded. */
export function toHeader(value: string): string {
  const [, word] = encodedWord.exec(value) ?? []
  const bytes = word === undefined ? Buffer.from(value, 'utf8') : Buffer.from(word, 'base64')
  const text = bytes.toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that no header may contain
  return /[\u0000-\u0008\u000a-\u001f\u007f]/.test(text) ? `=?UTF-8?B?${bytes.toString('base64')}?=` : text
}

function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
}
