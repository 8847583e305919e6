import { cutOff, NetworkError } from '../errors.ts'
import { type Meaning, meaningOf, type readMeanings, refusalOf } from './meanings.ts'

/** The error of one publisher or aggregator, and whether another one can help. */
export class EndpointError extends NetworkError {
  readonly elsewhere: boolean
  readonly ambiguous: boolean

  constructor({ code, says, elsewhere = false as never, ambiguous = false as never }: Meaning, details = {}) {
    super(code, says, details)
    this.elsewhere = elsewhere
    this.ambiguous = ambiguous
  }
}

/** The meaning of an error response. Its text is untrusted and never part of a message. */
export function answerError(rows: typeof readMeanings, status: number, body: Buffer): EndpointError {
  const refusal = refusalOf(status, body)
  const { says, ...meaning } = meaningOf(rows, refusal)
  const reason = refusal.reason !== null && /^[A-Z_]{1,64}$/.test(refusal.reason) ? `, ${refusal.reason}` : ''
  return new EndpointError({ ...meaning, says: `${says} (${status}${reason})` })
}

/** No response arrived. `sent`: bytes of the body may have arrived. */
export function silenceError(what: string, cause: unknown, { isLate = false, sent = false } = {}): EndpointError {
  const { message, fault } = isLate ? late(what) : cutOff(what, cause)
  return new EndpointError(
    { code: 'unreachable', says: message, elsewhere: true, ...(sent && { ambiguous: true }) },
    { cause, ...(fault && { fault }) },
  )
}

const late = (what: string) => ({ message: `${what} does not respond in time`, fault: 'hanging' as const })

/** The response is not from a publisher or an aggregator. */
export function unlikeWalrus(what: string): EndpointError {
  return new EndpointError({ code: 'unreachable', says: `the response does not come from ${what}`, elsewhere: true })
}
