import type { RedrivenDelivery } from '@tideport/contracts/public/operator-webhooks'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../tables.ts'
import type { DeliverySeen } from './exhausted-deliveries.ts'
import { requestRedelivery } from './request-redelivery.ts'

/** Plans one more attempt of what was given up, as its owner could; in a dry run only says that it would. */
export async function redriveDelivery(
  db: Kysely<WebhooksDb>,
  { id: deliveryId, webhookId, accountId, isActive, isExhausted }: DeliverySeen,
  { isDryRun }: { isDryRun: boolean },
): Promise<RedrivenDelivery['outcome']> {
  if (!isExhausted) return 'not_given_up'
  if (!isActive) return 'switched_off'
  if (isDryRun) return 'would_be_tried'
  try {
    await requestRedelivery(db, { webhookId, accountId, deliveryId })
    return 'planned'
  } catch (error) {
    // Switched off or deleted meanwhile, or under way.
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'state_conflict')) return 'changed'
    throw error
  }
}
