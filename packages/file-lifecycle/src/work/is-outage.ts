import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Circuit } from '@tideport/service-kit/process/circuit'
import { NetworkError } from '@tideport/storage-network/errors'

/**
 * Whether something needed is down, which is no fault of the file. A tier that fails for one object while it answers
 * otherwise is a fault of that object, else it would be handed back for ever.
 */
export async function isOutage(error: unknown, circuit: Pick<Circuit, 'answers'>): Promise<boolean> {
  if (error instanceof NetworkError) {
    if (error.code !== 'copy_failed' && error.code !== 'no_space') return error.code === 'unreachable'
    return !(await circuit.answers())
  }
  if (error instanceof AppError && error.code === 'unavailable') {
    // Of copies that were to be read, on whatever networks: those the circuit need not ask.
    if (error.cause instanceof NetworkError) return isOfNetwork(error.cause)
    return !(await circuit.answers())
  }
  return isUnavailable(error)
}

/** The network is down, or keeps its callers waiting, whatever copy it is asked for. */
export function isOfNetwork(error: unknown): boolean {
  return error instanceof NetworkError && (error.code === 'unreachable' || error.fault === 'hanging')
}
