import { cutOff, NetworkError } from '../errors.ts'

/** What Kubo said no with, in its own words, as an answer or behind one that had begun. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  /** 200 when it came behind the answer. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The path is not there: Kubo's own word, which counts once the marker was seen (owner.ts). */
export function isAbsent(error: unknown): boolean {
  return isKuboWord(error, /does not exist|no link named/)
}

/** The path is there, or the id is known, and a block below is not on the node: a copy that is damaged. */
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
  // Kubo says 500 of whatever went wrong with one call; of anything else no copy is the reason.
  const isOfCall = message !== '' && (status === 500 || status === 200)
  return new NetworkError(isOfCall ? 'copy_failed' : 'unreachable', answer, { cause: error })
}
