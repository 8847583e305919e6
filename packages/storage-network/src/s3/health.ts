import { NetworkError } from '../errors.ts'
import type { Owner } from '../owner.ts'

/** Reads the marker now: whether an outage has just begun hangs on it. What fails at that fails at everything. */
export async function checkHealth(owner: Owner, signal: AbortSignal): Promise<void> {
  try {
    await owner.check(signal)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') throw unhealthy(error, 'hanging')
    if (!(error instanceof NetworkError) || error.code === 'unreachable') throw error
    throw unhealthy(error, error.fault === 'hanging' ? 'hanging' : 'failing')
  }
}

function unhealthy(cause: Error, fault: 'hanging' | 'failing'): NetworkError {
  const message = fault === 'hanging' ? 'the bucket does not answer in time' : "the network's bucket fails"
  return new NetworkError('unreachable', message, { cause, fault })
}
