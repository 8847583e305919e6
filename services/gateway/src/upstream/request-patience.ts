import { postgresWaitMs } from '@tideport/contracts/internal/postgres-wait'
import { Patience } from '@tideport/service-kit/context/patience'
import { currentPatience } from '@tideport/service-kit/context/request-context'

/** Spent on whom the request comes from; the rest is its service's. */
export function requestPatience(): Patience {
  return currentPatience() ?? new Patience(postgresWaitMs)
}
