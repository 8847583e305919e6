import type { ByteBudgets } from '@tideport/contracts/internal/key-limits'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { utcToday } from '@tideport/file-lifecycle/state/usage-days'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'

/**
 * Counts bytes in the budgets of the caller's key. Throws 429 when a budget is used up. Queries nothing for a caller
 * without budgets. With `within`, a rollback of that transaction undoes the count.
 */
export type TakeBytes = (principal: AccountPrincipal, bytes: number, within?: Kysely<FilesDb>) => Promise<void>

interface Wanted {
  budgets: ByteBudgets
  bytes: number
}

/**
 * Combines concurrent requests with one key in one statement for the sum. If the sum exceeds the budget, counts each
 * request separately.
 */
export function createKeyByteQuota(db: Kysely<FilesDb>, batching: Batching): TakeBytes {
  const take = batching.batch<Wanted, boolean>(
    async (all) => {
      const [{ budgets }] = all
      const sum = all.reduce((bytes, one) => bytes + one.bytes, 0)
      if (await spend(db, budgets, sum)) return all.map(() => true)
      if (all.length === 1) return [false]
      const each: boolean[] = []
      for (const { bytes } of all) each.push(await spend(db, budgets, bytes))
      return each
    },
    { pauses: false },
  )
  return async ({ keyId = '', limits }, bytes, within) => {
    const budgets = limits?.budgets ?? []
    if (budgets.length === 0 || bytes === 0) return
    const isTaken = within ? await takeAll(within, budgets, bytes) : await take(keyId, { budgets, bytes })
    if (isTaken) return
    const bytesPerDay = Math.min(...budgets.map((budget) => budget.bytesPerDay))
    throw new AppError(
      'key_bytes_spent',
      'The API key has used its daily byte limit. The limit resets at midnight UTC.',
      {
        details: { bytesPerDay },
        retryAfterSeconds: secondsUntilTomorrow(),
      },
    )
  }
}

async function spend(db: Kysely<FilesDb>, budgets: ByteBudgets, bytes: number): Promise<boolean> {
  if (budgets.length === 1) return await takeAll(db, budgets, bytes)
  const trx = await db.startTransaction().execute()
  try {
    const isTaken = await takeAll(trx, budgets, bytes)
    await (isTaken ? trx.commit() : trx.rollback()).execute()
    return isTaken
  } catch (error) {
    if (!trx.isCommitted && !trx.isRolledBack) await trx.rollback().execute()
    throw error
  }
}

/**
 * False: a budget does not have enough bytes left today (UTC). A transaction that began before midnight but writes
 * after a transaction of the next day counts for the next day. With several budgets, some are counted already, so the
 * caller has to roll back.
 */
async function takeAll(db: Kysely<FilesDb>, budgets: ByteBudgets, bytes: number): Promise<boolean> {
  const limits = JSON.stringify(Object.fromEntries(budgets.map(({ id, bytesPerDay }) => [id, bytesPerDay])))
  const { rows } = await sql`
    insert into key_spending as spent (budget_id, day, bytes)
    select key::uuid, ${utcToday}, ${bytes}::bigint
    from jsonb_each_text(${limits}::jsonb) where value::bigint >= ${bytes}::bigint order by key
    on conflict (budget_id) do update set day = greatest(spent.day, excluded.day),
      bytes = excluded.bytes + case when spent.day >= excluded.day then spent.bytes else 0 end
    where excluded.bytes + case when spent.day >= excluded.day then spent.bytes else 0 end
      <= (${limits}::jsonb ->> spent.budget_id::text)::bigint
    returning budget_id`.execute(db)
  return rows.length === budgets.length
}

function secondsUntilTomorrow(): number {
  const dayMs = 86_400_000
  return Math.ceil((dayMs - (Date.now() % dayMs)) / 1000)
}
