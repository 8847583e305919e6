import { deleteWebhook, listWebhooks, readWebhook, rotateWebhookSecret } from '@tideport/contracts/public/webhooks'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { listCursor, toPage } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { WebhooksDeps } from '../deps.ts'
import { keepSecret } from '../secrets/previous-secrets.ts'
import { newWebhookSecret, secretOwner } from '../secrets/webhook-secret.ts'
import { findWebhook, lockWebhook, type WebhookOwner } from '../subscriptions/find-webhook.ts'
import { type Position, position } from '../subscriptions/position.ts'
import { untilQuiet } from '../subscriptions/until-quiet.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { toWebhook } from '../views.ts'
import { createWebhookRoute } from './create-webhook.ts'
import { testWebhookRoute } from './test-webhook.ts'
import { updateWebhookRoute } from './update-webhook.ts'

export function webhookRoutes(deps: WebhooksDeps) {
  return {
    createWebhook: createWebhookRoute(deps),
    listWebhooks: listWebhooksRoute(deps),
    readWebhook: serve(readWebhook, async ({ params: { webhookId }, principal: { accountId } }) =>
      toWebhook(await findWebhook(deps.db, { webhookId, accountId })),
    ),
    updateWebhook: updateWebhookRoute(deps),
    deleteWebhook: deleteWebhookRoute(deps),
    testWebhook: testWebhookRoute(deps),
    rotateWebhookSecret: rotateSecretRoute(deps),
  } satisfies Partial<RoutesOf<'webhooks'>>
}

function listWebhooksRoute({ db }: WebhooksDeps) {
  return serve(listWebhooks, async ({ query: { limit, cursor, order }, principal: { accountId } }) => {
    const cursors = await listCursor(db, { reader: accountId, list: 'webhooks', order }, position)
    const rows = await webhooksOf(db, accountId, order, limit + 1, cursors.decode(cursor))
    const { page, nextCursor } = toPage(cursors, rows, limit)
    return { webhooks: page.map(toWebhook), nextCursor }
  })
}

async function webhooksOf(
  db: Kysely<WebhooksDb>,
  accountId: string,
  order: 'asc' | 'desc',
  limit: number,
  after: Position | null,
): Promise<WebhookRow[]> {
  let query = db
    .selectFrom('webhook')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', order)
    .orderBy('id', order)
    .limit(limit)
  if (after !== null) {
    const isBeyond = sql.raw(order === 'asc' ? '>' : '<')
    query = query.where(sql<boolean>`(created_at, id) ${isBeyond} (${after.createdAt}, ${after.id})`)
  }
  return await query.execute()
}

/**
 * After the response, nothing is sent to the webhook. Its deliveries are removed later, in batches, and then its row.
 */
function deleteWebhookRoute({ db }: WebhooksDeps) {
  return serve(deleteWebhook, async ({ params: { webhookId }, ...caller }) => {
    const { accountId } = caller.principal
    const row = await db.transaction().execute(async (trx) => {
      const deleted = await markDeleted(trx, { webhookId, accountId })
      await recordAuditEntry(trx, { kind: 'webhook.deleted' }, deleted, auditOriginOf(caller))
      return deleted
    })
    await untilQuiet(db, webhookId)
    return toWebhook(row)
  })
}

/** The webhook becomes invisible and no longer counts. Claims skip it. */
async function markDeleted(db: Transaction<WebhooksDb>, { webhookId, accountId }: WebhookOwner): Promise<WebhookRow> {
  return await db
    .updateTable('webhook')
    .set({ deletedAt: sql<Date>`now()`, voidedAt: sql<Date>`now()` })
    .where('id', '=', webhookId)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound())
}

/** The new secret signs from now on. The old one also signs until the overlap ends. */
function rotateSecretRoute({ db, secretBox, secretOverlapSeconds }: WebhooksDeps) {
  return serve(rotateWebhookSecret, async ({ params: { webhookId }, ...caller }) => {
    const { accountId } = caller.principal
    const secret = newWebhookSecret()
    const secretEncrypted = secretBox.seal(secret, secretOwner({ accountId, webhookId }))
    return await db.transaction().execute(async (trx) => {
      const before = await lockWebhook(trx, { webhookId, accountId })
      const validUntil = await keepSecret(trx, before, secretOverlapSeconds)
      const row = await trx
        .updateTable('webhook')
        .set({ secretEncrypted, updatedAt: sql<Date>`now()` })
        .where('id', '=', webhookId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await recordAuditEntry(trx, { kind: 'webhook.secret_rotated' }, row, auditOriginOf(caller))
      return { ...toWebhook(row), secret, previousSecretValidUntil: validUntil.toISOString() }
    })
  })
}
