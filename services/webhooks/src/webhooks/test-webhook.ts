import { testWebhook } from '@tideport/contracts/public/webhooks'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { sql, type Transaction } from 'kysely'
import { v7 as newId } from 'uuid'
import type { ClaimedDelivery } from '../delivery/claim-deliveries.ts'
import { deliver } from '../delivery/deliver.ts'
import { findDelivery } from '../delivery/request-redelivery.ts'
import { samplePayload } from '../delivery/sample-payload.ts'
import type { WebhooksDeps } from '../deps.ts'
import { validPreviousSecrets } from '../secrets/previous-secrets.ts'
import { lockWebhook } from '../subscriptions/find-webhook.ts'
import { claimSeconds, testsPerMinuteMax } from '../subscriptions/limits.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { toDelivery } from '../views.ts'

/** Also works on a disabled webhook, to test a receiver before enabling it. */
export function testWebhookRoute(deps: WebhooksDeps) {
  const { db, timeoutSeconds, onEnded } = deps
  return serve(testWebhook, async ({ params: { webhookId }, principal: { accountId } }) => {
    const { claimed, webhook } = await db.transaction().execute(async (trx) => {
      const webhook = await lockWebhook(trx, { webhookId, accountId })
      await assertMayTest(trx, webhookId)
      return { webhook, claimed: await insertClaimed(trx, webhook, timeoutSeconds) }
    })
    await deliver(deps, claimed)
    onEnded(claimed)
    return toDelivery(await findDelivery(db, { webhookId, accountId, deliveryId: claimed.id }), webhook)
  })
}

/** Tests are sent immediately and return their outcome, so without a limit they could be used to probe other hosts. */
async function assertMayTest(trx: Transaction<WebhooksDb>, webhookId: string): Promise<void> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from created_at + interval '1 minute' - now())::float8 as seconds from delivery
    where webhook_id = ${webhookId} and is_test and created_at > now() - interval '1 minute'
    order by created_at desc offset ${testsPerMinuteMax - 1} limit 1`.execute(trx)
  const [limiting] = rows
  if (limiting === undefined) return
  throw new AppError('rate_limited', `A webhook can be tested at most ${testsPerMinuteMax} times per minute`, {
    retryAfterSeconds: Math.max(1, Math.ceil(limiting.seconds)),
  })
}

/** Never due, so it is sent only once. Claimed from the start, so it counts as in progress. */
async function insertClaimed(
  trx: Transaction<WebhooksDb>,
  { id: webhookId, activation, accountId, url, secretEncrypted, events }: WebhookRow,
  timeoutSeconds: number,
): Promise<ClaimedDelivery> {
  const event = events[0] ?? 'file.hot'
  const { traceparent } = currentTrace()
  const sample = { id: newId(), webhookId, eventId: newId(), event, isTest: true, traceparent, attempts: 1 }
  const body = JSON.stringify(samplePayload(event, new Date()))
  const { rows } = await sql<Pick<ClaimedDelivery, 'previousSecretsEncrypted'>>`
    with claimed as (
      insert into delivery (id, webhook_id, activation, event_id, event, body, is_test, traceparent, attempts, next_attempt_at,
        claimed_at, claimed_until)
      values (${sample.id}, ${webhookId}, ${activation}, ${sample.eventId}, ${event}, ${body}, true, ${traceparent}, 1, null,
        now(), now() + make_interval(secs => ${claimSeconds(timeoutSeconds)}))
    ), begun as (
      insert into attempt (delivery_id, attempt, state) values (${sample.id}, 1, 'sending')
    )
    select ${validPreviousSecrets(sql`${webhookId}`)} as previous_secrets_encrypted`.execute(trx)
  const previousSecretsEncrypted = rows[0]?.previousSecretsEncrypted ?? []
  return {
    ...sample,
    body,
    accountId,
    url,
    secretEncrypted,
    previousSecretsEncrypted,
    isRedelivery: false,
    isReceiverFailing: false,
    redeliveries: 0,
  }
}
