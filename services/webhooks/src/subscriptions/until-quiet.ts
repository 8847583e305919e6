import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'
import { quietAfterSeconds } from './limits.ts'

const LOOK_AGAIN_MS = 20

/** Waits until existing claims are finished or too old to be sent. Takes milliseconds, at most `quietAfterSeconds`. */
export async function untilQuiet(db: Kysely<WebhooksDb>, webhookId: string): Promise<void> {
  while (await mayBeAboutToSend(db, webhookId)) await delay(LOOK_AGAIN_MS)
}

async function mayBeAboutToSend(db: Kysely<WebhooksDb>, webhookId: string): Promise<boolean> {
  const { rows } = await sql<{ isBusy: boolean }>`
    select exists (
      select from delivery where webhook_id = ${webhookId} and claimed_until > now()
        and claimed_at > now() - make_interval(secs => ${quietAfterSeconds})
    ) as is_busy`.execute(db)
  return rows[0]?.isBusy === true
}
