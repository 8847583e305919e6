import { redeliver } from '@tideport/contracts/http/webhooks'
import { AppError } from '@tideport/service-kit/app-error'
import { type Route, serve } from '@tideport/service-kit/route'
import { sql, type Transaction } from 'kysely'
import type { WebhooksDeps } from '../deps.ts'
import { findDelivery } from '../find-delivery.ts'
import { redeliverySpacingMs } from '../limits.ts'
import { lockWebhook } from '../lock-webhook.ts'
import type { DeliveryRow, WebhooksDb } from '../tables.ts'
import { toDelivery } from '../views.ts'

/** Plans one further attempt, whatever came of those before. The schedule, if it is not over, goes on after it. */
export function redeliverRoute({ db, onDue }: WebhooksDeps): Route {
  return serve(redeliver, async ({ params: { webhookId, deliveryId }, principal: { accountId } }) => {
    const row = await db.transaction().execute(async (trx) => {
      const webhook = await lockWebhook(trx, { webhookId, accountId })
      const delivery = await findDelivery(trx, { webhookId, accountId, deliveryId })
      if (!webhook.active) throw new AppError('state_conflict', 'The webhook is switched off')
      return delivery.isRedelivery ? delivery : await planRedelivery(trx, delivery)
    })
    onDue()
    return toDelivery(row)
  })
}

/** Each comes a little after the one asked for before it, so that many at once are no flood. */
async function planRedelivery(trx: Transaction<WebhooksDb>, { id, webhookId }: DeliveryRow): Promise<DeliveryRow> {
  const { rows } = await sql<DeliveryRow>`
    with turn as (
      update webhook set redeliveries_until =
        greatest(now(), redeliveries_until + make_interval(secs => ${redeliverySpacingMs / 1000}))
      where id = ${webhookId} returning redeliveries_until as at
    )
    update delivery set is_redelivery = true, resume_at = next_attempt_at, next_attempt_at = turn.at, done_at = null
    from turn where id = ${id} and (claimed_until is null or claimed_until <= now())
    returning delivery.*`.execute(trx)
  const [row] = rows
  if (row === undefined) throw new AppError('state_conflict', 'An attempt is under way')
  return row
}
