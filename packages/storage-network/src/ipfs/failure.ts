import { cutOff, NetworkError } from '../errors.ts'

/** An error of Kubo in its own words, as the response or as a trailer. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  /** 200 for an error in a trailer. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Kubo reports that the path does not exist. This counts only after the marker was seen (owner.ts). */
export function isAbsent(error: unknown): boolean {
  return isKuboWord(error, /does not exist|no link named/)
}

/** The path or ID exists, but a block below it is missing: the copy is damaged. */
export function isBlockMissing(error: unknown): boolean {
  return isKuboWord(error, /not found locally|could not find|failed to fetch all nodes/)
}

function isKuboWord(error: unknown, words: RegExp): error is NetworkError {
  return error instanceof NetworkError && error.cause instanceof RpcError && words.test(error.cause.message)
}

/** `unreachable` for a node that is down or denies access; `copy_failed` for an error of one call. */
export function failureOf(error: unknown, { isLate = false } = {}): NetworkError {
  if (error instanceof NetworkError) return error
  if (isLate) {
    return new NetworkError('unreachable', 'the IPFS node did not respond in time', { cause: error, fault: 'hanging' })
  }
  if (!(error instanceof RpcError)) return cutOff('the IPFS node', error)
  const { status, message } = error
  const answer = `the IPFS node returned ${status}${message && ` (${message})`}`
  if (/no space left|maximum storage limit/i.test(message)) {
    return new NetworkError('no_space', answer, { cause: error })
  }
  // Kubo returns 500 for an error of one call. Other statuses are never caused by a copy.
  const isOfCall = message !== '' && (status === 500 || status === 200)
  return new NetworkError(isOfCall ? 'copy_failed' : 'unreachable', answer, { cause: error })
}
