import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { currentWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'

/** The gateway spends it on authentication; the service gets the rest. */
export function requestWaitBudget(): WaitBudget {
  return currentWaitBudget() ?? new WaitBudget(postgresWaitMs)
}
