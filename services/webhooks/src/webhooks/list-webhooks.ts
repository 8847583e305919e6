import { listWebhooks } from '@tideport/contracts/public/webhooks'
import { listCursor, toPage } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDeps } from '../deps.ts'
import { type Position, position } from '../subscriptions/position.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { toWebhook } from '../views.ts'

export function listWebhooksRoute({ db }: WebhooksDeps) {
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
