/**
 * The errors of all drivers:
 * - `unreachable`: the network does not respond or cannot work now, for example because the volume is missing, the disk
 *   is full, or the node is down. Not a fault of the file: callers pause instead of counting an attempt. `fault`
 *   contains the reason, if known.
 * - `copy_failed`: the network failed for this copy. If `health` then succeeds, the error counts as a failure of the
 *   file.
 * - `no_space`: the network has no space for this many bytes. The same rule applies.
 * - `not_found`: the network itself reports that it has no such copy.
 * - `integrity`: the received bytes are not the bytes of this blob ID.
 * - `staged_lost`: the staged bytes no longer existed at the commit. Stage them again.
 * - `too_large`: more bytes than `maxBlobBytes`.
 * - `restoring`: the copy is complete but archived, and is being restored. `retryAfterSeconds` is the longest restore
 *   time. Not a fault of the file or the network.
 * - `refused`: the network refuses this request permanently.
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
 * Why a network cannot work. Its marker is `missing` (not mounted, or never set up), `foreign` (of another installation
 * or network), or `unreadable`. The disk is `full`, `failing`, or `hanging` (no response at all). The host name of a
 * remote network is `unresolved`: the name does not exist, or no name server responds.
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

/** The only error that a driver throws. Errors of a body, errors of `installationId`, and aborts pass unchanged. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: NetworkErrorCode
  /** True: the same call may succeed later without intervention. */
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

/** The error for a connection that failed or broke. `what` names the other side, such as `the bucket`. */
export function cutOff(what: string, cause: unknown): NetworkError {
  if (!isUnresolved(cause)) return new NetworkError('unreachable', `${what} cannot be reached`, { cause })
  return new NetworkError('unreachable', `the host name of ${what} cannot be resolved`, { cause, fault: 'unresolved' })
}
