import { invalidArgument } from './call.ts'

const LIMIT_MAX = 1000
const INTEGER_MAX = 2 ** 31 - 1

/** A page size, or a position in a list of parts: 1,000 if missing, and at most `max`. */
export function readLimit(text: string | undefined, name: string, max = LIMIT_MAX): number {
  if (text === undefined || text === '') return max
  const number = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(number) || Math.abs(number) > INTEGER_MAX) {
    throw invalidArgument(name, text, `Provided ${text} not an integer or within integer range`)
  }
  if (number < 0) {
    throw invalidArgument(name, text, `Argument ${text} must be an integer between 0 and ${INTEGER_MAX}`)
  }
  return Math.min(number, max)
}

export function readPosition(text: string | undefined, name: string): number {
  return text === undefined || text === '' ? 0 : readLimit(text, name, INTEGER_MAX)
}

export function readEncoding(encodingType: string | undefined) {
  if (encodingType === undefined || encodingType === '')
    return { encodingType: undefined, encode: (text: string) => text }
  if (encodingType !== 'url') {
    throw invalidArgument('encoding-type', encodingType, 'Invalid Encoding Method specified in Request')
  }
  return { encodingType, encode: encodeKey }
}

/** Percent-encodes as S3 does: slashes stay. */
export function encodeKey(text: string): string {
  const encoded = encodeURIComponent(text).replaceAll('%2F', '/')
  return encoded.replace(/[!'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
