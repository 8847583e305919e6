/**
 * What went wrong, in words every driver shares:
 * - `unreachable`: the network did not answer or cannot work at all now (volume away, disk full, node down). Not a
 * fault
 *   of the file: callers stop pulling work instead of counting an attempt. `fault` tells more, where it is known.
 * - `copy_failed`: the network failed at this copy. Whether only at this one is for `health` to tell: if it holds, it
 *   is a failure of the file.
 * - `no_space`: the network has no room for so many bytes; the same holds.
 * - `not_found`: the network itself says that it holds no such copy.
 * - `integrity`: bytes came back that are not the bytes of that blob id.
 * - `staged_lost`: the staged bytes were gone when they were to be committed; stage again.
 * - `too_large`: more bytes than `maxBlobBytes`.
 * - `restoring`: the copy is complete but archived, and is being restored; `retryAfterSeconds` is the longest time
 * that takes. No fault of the file, nor of the network.
 * - `refused`: the network will not take or give this, however often it is asked.
 */
export type NetworkErrorCode =
  | 'unreachable'
  | 'copy_failed'
  | 'no_space'
  | 'not_found'
  | 'integrity'
  | 'staged_lost'
  | 'too_large'
  | 'restoring'
  | 'refused'

/**
 * Why a network cannot work: its marker is `missing` (not mounted, or never set up), `foreign` (another
 * installation's, or
 * another network's) or `unreadable`; the disk is `full`, or `failing`, or `hanging`: it does not answer at all. The
 * host
 * name of one elsewhere is `unresolved`: there is none, or no name server answers.
 */
export const networkFaults = ['missing', 'foreign', 'unreadable', 'full', 'failing', 'hanging', 'unresolved'] as const
export type NetworkFault = (typeof networkFaults)[number]

const RETRYABLE: ReadonlySet<NetworkErrorCode> = new Set([
  'unreachable',
  'copy_failed',
  'no_space',
  'staged_lost',
  'restoring',
])

interface ErrorDetails {
  cause?: unknown
  retryable?: boolean
  fault?: NetworkFault
  retryAfterSeconds?: number
}

/** The only error a driver throws. Errors of a body, of the installation's ID, and aborts pass unchanged. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: NetworkErrorCode
  /** True when the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean
  readonly fault: NetworkFault | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: NetworkErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.retryable = options.retryable ?? RETRYABLE.has(code)
    this.fault = options.fault
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN'])

function isUnresolved(error: unknown): boolean {
  return UNRESOLVED.has((error as { code?: string } | null)?.code ?? '')
}

/** No connection could be had, or it broke: `what` says to whom, as `the bucket`. */
export function cutOff(what: string, cause: unknown): NetworkError {
  if (!isUnresolved(cause)) return new NetworkError('unreachable', `${what} cannot be reached`, { cause })
  return new NetworkError('unreachable', `the host name of ${what} cannot be resolved`, { cause, fault: 'unresolved' })
}
