import { updateWebhook } from '@tideport/contracts/http/webhooks'
import { type Route, type RouteInput, serve } from '@tideport/service-kit/route'
import { sql, type Transaction } from 'kysely'
import type { WebhooksDeps } from '../deps.ts'
import { lockWebhook } from '../lock-webhook.ts'
import { unknownHealth } from '../receiver-health.ts'
import { skipPending } from '../skip-pending.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { untilQuiet } from '../until-quiet.ts'
import { toWebhook } from '../views.ts'
import { assertWebhookUrl } from '../webhook-url.ts'

type Changes = RouteInput<typeof updateWebhook>['body']

export function updateWebhookRoute({ db, urlRules }: WebhooksDeps): Route {
  return serve(updateWebhook, async ({ params: { webhookId }, body, principal: { accountId } }) => {
    if (body.url !== undefined) assertWebhookUrl(body.url, urlRules)
    const row = await db.transaction().execute(async (trx) => {
      const before = await lockWebhook(trx, { webhookId, accountId })
      const after = await applyChanges(trx, before, body)
      if (before.active !== after.active) await skipPending(trx, webhookId)
      return after
    })
    if (body.active === false) await untilQuiet(db, webhookId)
    return toWebhook(row)
  })
}

/** Whoever gets new events, or events again, gets only those from now on. `active: true` forgets past failures, as does a new URL. */
async function applyChanges(
  trx: Transaction<WebhooksDb>,
  before: WebhookRow,
  { url, events, active }: Changes,
): Promise<WebhookRow> {
  const isSwitchedOn = active === true && !before.active
  const isElsewhere = url !== undefined && url !== before.url
  const hasNewEvents = events?.some((event) => !before.events.includes(event)) === true
  return await trx
    .updateTable('webhook')
    .set({
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(active === undefined ? {} : { active, disabledReason: null }),
      ...(active === true || isElsewhere ? unknownHealth : {}),
      ...(isSwitchedOn || hasNewEvents ? { activeSince: sql<Date>`date_trunc('milliseconds', now())` } : {}),
      updatedAt: sql<Date>`now()`,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
