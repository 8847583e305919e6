import type { IncomingHttpHeaders } from 'node:http'
import { isKnown } from '@tideport/service-kit/http/entity-tag'
import type { ByteRange } from '@tideport/storage-network/storage-network'

/** What is being read. `etag` is strong and quoted: it names bytes that never change. */
export interface Representation {
  etag: string
  sizeBytes: number
  lastModified: Date
}

/** What to answer (RFC 9110 §13, §14): all of it, one range, nothing new, or that the range lies outside. */
export type AnswerPlan = { status: 200 } | { status: 206; range: ByteRange } | { status: 304 } | { status: 416 }

/** Several ranges and unreadable ranges count as none; so does any range of a HEAD or of an empty file. */
export function planAnswer(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  representation: Representation,
): AnswerPlan {
  if (isNotModified(headers, representation)) return { status: 304 }
  if (method !== 'GET' || headers.range === undefined || !isRangeWanted(headers, representation)) return { status: 200 }
  const range = parseRange(headers.range, representation.sizeBytes)
  if (range === 'ignored') return { status: 200 }
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range }
}

function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return isKnown(etag, ifNoneMatch)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(lastModified) <= since
}

/** If-Range compares strongly, and a date exactly. */
function isRangeWanted(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifRange = headers['if-range']
  if (typeof ifRange !== 'string') return true
  return ifRange === etag || Date.parse(ifRange) === wholeSeconds(lastModified)
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** By hand, because range-parser takes a suffix longer than the file as unsatisfiable; it means the whole file. */
function parseRange(header: string, sizeBytes: number): ByteRange | 'ignored' | 'unsatisfiable' {
  if (sizeBytes === 0) return 'ignored'
  const [, first, last, suffix] = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i.exec(header) ?? []
  if (first === undefined && suffix === undefined) return 'ignored'
  if (first !== undefined && last && Number(last) < Number(first)) return 'ignored'
  const start = first === undefined ? Math.max(0, sizeBytes - Number(suffix)) : Number(first)
  const end = Math.min(last ? Number(last) : sizeBytes - 1, sizeBytes - 1)
  return start < sizeBytes ? { start, end } : 'unsatisfiable'
}
