import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { currentWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'

/** Spent on whom the request comes from; the rest is its service's. */
export function requestWaitBudget(): WaitBudget {
  return currentWaitBudget() ?? new WaitBudget(postgresWaitMs)
}
