import type { WebhooksDb } from '@tideport/webhooks/src/tables.ts'
import { type Kysely, sql } from 'kysely'
import { v7 as newId } from 'uuid'

export interface SeedOptions {
  webhooks: number
  webhooksPerAccount: number
  pendingEach: number
  url: (index: number) => string
  /** Encrypted like a webhook's own. */
  secretEncrypted: (webhook: { accountId: string; webhookId: string }) => string
}

/** Webhooks with fresh deliveries that are due; their ids. */
export async function seedDeliveries(db: Kysely<WebhooksDb>, options: SeedOptions): Promise<string[]> {
  const { webhooks, webhooksPerAccount, pendingEach, url, secretEncrypted } = options
  let accountId = ''
  const rows = Array.from({ length: webhooks }, (_, index) => {
    if (index % webhooksPerAccount === 0) accountId = newId()
    const id = newId()
    const secret = secretEncrypted({ accountId, webhookId: id })
    return { id, accountId, url: url(index), events: ['file.hot' as const], secretEncrypted: secret }
  })
  await db.insertInto('webhook').values(rows).execute()
  const ids = rows.map(({ id }) => id)
  await sql`
    insert into delivery (id, webhook_id, activation, event_id, event, body)
    select gen_random_uuid(), id, 0, gen_random_uuid(), 'file.hot', '{"event":"file.hot"}'
    from unnest(${ids}::uuid[]) as id, generate_series(1, ${pendingEach}::int)`.execute(db)
  for (const table of ['webhook', 'delivery']) await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  return ids
}
