import type { NetworkErrorCode } from '../errors.ts'

export interface Meaning {
  code: NetworkErrorCode
  /** For operators, without text from the response. */
  says: string
  /** Another publisher or aggregator may succeed. */
  elsewhere?: true
  /** The bytes may have been stored nevertheless. */
  ambiguous?: true
}

interface Row extends Meaning {
  status: number | 'other'
  /** `error.details[].reason` of the response; null if missing, as in plain text from a proxy or the framework. */
  reason: string | null | 'any'
  /** Part of the message, if the reason is not specific. */
  message?: RegExp
}

const token = 'the publisher rejected the token'
const overloaded = 'is overloaded'

/** Responses to a PUT; the first match counts. Statuses mislead: an expired token is 504. */
export const storeMeanings: readonly Row[] = [
  { status: 401, reason: 'any', code: 'unreachable', says: token, elsewhere: true },
  { status: 403, reason: 'any', code: 'unreachable', says: token, elsewhere: true },
  {
    status: 504,
    reason: 'EXPIRED_SIGNATURE',
    code: 'unreachable',
    says: `${token}: the clocks may differ`,
    elsewhere: true,
  },
  {
    status: 429,
    reason: 'TOKEN_ALREADY_USED',
    code: 'unreachable',
    says: `${token}: it was already used`,
    elsewhere: true,
  },
  { status: 429, reason: 'any', code: 'unreachable', says: `the publisher ${overloaded}`, elsewhere: true },
  {
    status: 413,
    reason: 'any',
    code: 'too_large',
    says: 'the publisher does not accept a blob of this size',
    elsewhere: true,
  },
  { status: 451, reason: 'any', code: 'refused', says: 'the blob is blocked on Walrus' },
  {
    status: 400,
    reason: 'MALFORMED_REQUEST',
    code: 'copy_failed',
    says: 'the publisher rejected the request as malformed',
  },
  { status: 400, reason: 'any', code: 'unreachable', says: `${token} or the query`, elsewhere: true },
  {
    // Complete words only: an ID in the response could contain the letters by chance.
    ...{ status: 500, reason: 'any', message: /\b(balance|insufficient|gas|coins?)\b/i, code: 'unreachable' },
    ...{ says: "the publisher's wallet is out of funds", elsewhere: true },
  },
  {
    ...{ status: 504, reason: 'INSUFFICIENT_CONFIRMATIONS', code: 'copy_failed' },
    ...{ says: 'too few storage nodes confirmed the blob', elsewhere: true, ambiguous: true },
  },
  { status: 500, reason: 'any', code: 'copy_failed', says: 'the publisher failed', elsewhere: true, ambiguous: true },
  {
    status: 'other',
    reason: 'any',
    code: 'unreachable',
    says: 'the publisher is unavailable',
    elsewhere: true,
    ambiguous: true,
  },
]

/** Responses to a GET. Callers check absent blobs and ranges themselves. */
export const readMeanings: readonly Row[] = [
  { status: 404, reason: 'BLOB_NOT_FOUND', code: 'not_found', says: 'the blob is not on Walrus', elsewhere: true },
  { status: 416, reason: 'any', code: 'integrity', says: 'the blob is shorter than it was', elsewhere: true },
  { status: 451, reason: 'any', code: 'refused', says: 'the blob is blocked on Walrus' },
  {
    status: 403,
    reason: 'BLOB_TOO_LARGE',
    code: 'copy_failed',
    says: 'the aggregator does not return a blob of this size',
    elsewhere: true,
  },
  {
    status: 503,
    reason: 'BLOB_UNAVAILABLE',
    code: 'copy_failed',
    says: 'too few storage nodes responded',
    elsewhere: true,
  },
  { status: 500, reason: 'any', code: 'copy_failed', says: 'the aggregator failed', elsewhere: true },
  { status: 429, reason: 'any', code: 'unreachable', says: `the aggregator ${overloaded}`, elsewhere: true },
  { status: 'other', reason: 'any', code: 'unreachable', says: 'the aggregator is unavailable', elsewhere: true },
]

export interface Refusal {
  status: number
  reason: string | null
  message: string
}

export function meaningOf(rows: readonly Row[], { status, reason, message }: Refusal): Meaning {
  const row = rows.find(
    (one) =>
      (one.status === 'other' || one.status === status) &&
      (one.reason === 'any' || one.reason === reason) &&
      (one.message?.test(message) ?? true),
  )
  if (row === undefined) throw new Error('The table has no last row')
  return row
}

/** Reason in the body of an error response. Only Walrus's own format has one. */
export function refusalOf(status: number, body: Buffer): Refusal {
  const text = body.toString()
  try {
    const { message, details } = JSON.parse(text).error
    const { reason } = details.find((detail: Record<string, unknown>) => typeof detail.reason === 'string') ?? {}
    return { status, reason: reason ?? null, message: String(message) }
  } catch {
    return { status, reason: null, message: text.slice(0, 1000) }
  }
}
