import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { updateWebhook } from '@tideport/contracts/public/webhooks'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { looksDue } from '../delivery/ready-webhooks.ts'
import { unknownHealth } from '../delivery/receiver-health.ts'
import type { WebhooksDeps } from '../deps.ts'
import { assertWebhookUrl } from '../outgoing/webhook-url.ts'
import { lockWebhook } from '../subscriptions/find-webhook.ts'
import { untilQuiet } from '../subscriptions/until-quiet.ts'
import { voidsPending } from '../subscriptions/void-pending.ts'
import type { EventSince, WebhookRow, WebhooksDb } from '../tables.ts'
import { toWebhook } from '../views.ts'

type Changes = RouteInput<typeof updateWebhook>['body']

// The precision of event times.
const thisMillisecond = sql<Date>`date_trunc('milliseconds', now())`

export function updateWebhookRoute({ db, urlRules, onDue }: WebhooksDeps) {
  return serve(updateWebhook, async ({ params: { webhookId }, body, ...caller }) => {
    const { accountId } = caller.principal
    if (body.url !== undefined) assertWebhookUrl(body.url, urlRules)
    const row = await db.transaction().execute(async (trx) => {
      const before = await lockWebhook(trx, { webhookId, accountId })
      const after = await applyChanges(trx, before, body)
      await recordAuditEntry(trx, { kind: 'webhook.changed', changed: Object.keys(body) }, after, auditOriginOf(caller))
      return after
    })
    onDue()
    if (body.active === false) await untilQuiet(db, webhookId)
    return toWebhook(row)
  })
}

/** Changes apply to later events only. `active: true` and a new URL reset the receiver's health. */
async function applyChanges(
  trx: Transaction<WebhooksDb>,
  before: WebhookRow,
  { url, events, active }: Changes,
): Promise<WebhookRow> {
  const isSwitchedOn = active === true && !before.active
  const isSwitchedOff = active === false && before.active
  const isElsewhere = url !== undefined && url !== before.url
  return await trx
    .updateTable('webhook')
    .set({
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events, eventSince: sinceWhen(before, events) }),
      ...(active === undefined ? {} : { active, disabledReason: null }),
      ...(active === true || isElsewhere ? { ...unknownHealth, ...looksDue } : {}),
      ...(isSwitchedOff ? voidsPending : {}),
      ...(isSwitchedOn ? { activeSince: thisMillisecond, eventSince: sql<EventSince>`'{}'` } : {}),
      updatedAt: sql<Date>`now()`,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A type that remains keeps its start time. A type that was removed and added again starts now. */
function sinceWhen(before: WebhookRow, events: EventType[]): RawBuilder<EventSince> {
  const kept = Object.entries(before.eventSince).filter(([event]) => events.includes(event as EventType))
  const added = events.filter((event) => !before.events.includes(event))
  return sql`${JSON.stringify(Object.fromEntries(kept))}::jsonb
    || (select coalesce(jsonb_object_agg(event, ${thisMillisecond}), '{}') from unnest(${added}::text[]) event)`
}
