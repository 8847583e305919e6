import { testWebhook } from '@tideport/contracts/http/webhooks'
import { notFound } from '@tideport/service-kit/app-error'
import { type Route, serve } from '@tideport/service-kit/route'
import { sql } from 'kysely'
import { v7 as newId } from 'uuid'
import type { ClaimedDelivery } from '../claim-deliveries.ts'
import { deliver } from '../deliver.ts'
import type { WebhooksDeps } from '../deps.ts'
import { findDelivery } from '../find-delivery.ts'
import { findWebhook } from '../find-webhook.ts'
import { leaseSeconds } from '../limits.ts'
import { samplePayload } from '../sample-payload.ts'
import type { WebhookRow } from '../tables.ts'
import { toDelivery } from '../views.ts'

/** Works on a webhook that is switched off, too: to try a receiver before switching it on. */
export function testWebhookRoute(deps: WebhooksDeps): Route {
  return serve(testWebhook, async ({ params: { webhookId }, principal: { accountId }, trace }) => {
    const webhook = await findWebhook(deps.db, { webhookId, accountId })
    const claimed = await insertClaimed(deps, webhook, trace.traceparent)
    await deliver(deps, claimed)
    return toDelivery(await findDelivery(deps.db, { webhookId, accountId, deliveryId: claimed.id }))
  })
}

/** Never due, so it is sent this once; claimed from the start, so it counts as under way; the lock waits for a deletion. */
async function insertClaimed(
  { db, timeoutSeconds }: WebhooksDeps,
  { id: webhookId, accountId, url, secretEncrypted, events }: WebhookRow,
  traceparent: string,
): Promise<ClaimedDelivery> {
  const event = events[0] ?? 'file.hot'
  const sample = { id: newId(), webhookId, eventId: newId(), event, isTest: true, traceparent, attempts: 1 }
  const body = JSON.stringify(samplePayload(event, new Date()))
  const { rows } = await sql`
    with claimed as (
      insert into delivery (id, webhook_id, event_id, event, body, is_test, traceparent, attempts, next_attempt_at,
        claimed_at, claimed_until)
      select ${sample.id}, id, ${sample.eventId}, ${event}, ${body}, true, ${traceparent}, 1, null,
        now(), now() + make_interval(secs => ${leaseSeconds(timeoutSeconds)})
      from webhook where id = ${webhookId} and deleted_at is null for share
      returning id
    )
    insert into attempt (delivery_id, attempt, state) select id, 1, 'sending' from claimed returning 1`.execute(db)
  if (rows.length === 0) throw notFound()
  return { ...sample, body, accountId, url, secretEncrypted }
}
