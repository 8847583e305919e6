/**
 * What went wrong, in words every driver shares:
 * - `unreachable`: the network did not answer or cannot work at all now (disk gone or full, node down). Not a fault of
 *   the file: callers stop pulling work instead of counting an attempt.
 * - `not_found`: the network itself says that it holds no such copy.
 * - `integrity`: bytes came back that are not the bytes of that blob id.
 * - `staged_lost`: the staged bytes were gone when they were to be committed; stage again.
 * - `too_large`: more bytes than `maxBlobBytes`.
 * - `refused`: the network will not take or give this, however often it is asked.
 */
export type NetworkErrorCode = 'unreachable' | 'not_found' | 'integrity' | 'staged_lost' | 'too_large' | 'refused'

const RETRYABLE: ReadonlySet<NetworkErrorCode> = new Set(['unreachable', 'staged_lost'])

/** The only error a driver throws of its own; errors of a staged body and aborts pass through as they are. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: NetworkErrorCode
  /** True when the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean

  constructor(code: NetworkErrorCode, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.retryable = options.retryable ?? RETRYABLE.has(code)
  }
}
