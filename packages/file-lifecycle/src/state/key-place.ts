import { createHash } from 'node:crypto'
import { bytesOf, PATH_BYTES_MAX, SEGMENT_BYTES_MAX } from '@tideport/contracts/public/paths'

/** Where a file of the S3 door is in its vault. */
export interface KeyPlace {
  /** Ends in a slash, or is empty. */
  folder: string
  name: string
  /** Null: the path is the key. */
  rawKey: string | null
}

export function placeOfKey(key: string): KeyPlace {
  const path = pathOfKey(key)
  const end = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, end), name: path.slice(end), rawKey: path === key ? null : key }
}

/**
 * A valid path for a key, and the key itself if that is a valid path. Several keys may have one path. Only parts that no
 * path can have are changed, so the key and its path have the same valid folders at their beginning.
 */
export function pathOfKey(key: string): string {
  const segments = key.normalize('NFC').replace(forbidden, '_').split('/')
  const path = segments.map((segment) => safeSegment(segment, segments.length === 1)).join('/')
  return bytesOf(path) <= PATH_BYTES_MAX ? path : shortPath(path, key)
}

/** Control characters and backslashes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: replacing them is the point
const forbidden = /[\u0000-\u001f\u007f-\u009f\\]/g

function safeSegment(segment: string, isAlone: boolean): string {
  if (segment === '' || segment === '.' || segment === '..') return '_'.repeat(Math.max(1, segment.length))
  const isLong = isAlone ? [...segment].length > SEGMENT_BYTES_MAX : bytesOf(segment) > SEGMENT_BYTES_MAX
  if (!isLong) return segment
  const mark = markOf(segment)
  return headOf(segment, SEGMENT_BYTES_MAX - mark.length) + mark
}

/** The segments are short, so folders remain. */
function shortPath(path: string, key: string): string {
  const mark = markOf(key)
  const head = headOf(path, PATH_BYTES_MAX - mark.length)
  return head.slice(0, head.lastIndexOf('/') + 1) + mark
}

/** Makes shortened texts different. */
const markOf = (text: string) => `~${createHash('sha256').update(text).digest('hex').slice(0, 16)}`

function headOf(text: string, bytesMax: number): string {
  // Without the bytes of an incomplete character at the end.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytesMax), { stream: true })
}
