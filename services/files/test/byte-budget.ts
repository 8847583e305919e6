import { type Bundle, newAccount } from './bundle.ts'

/**
 * A key's budget that was last used tomorrow, as by a request that finished after midnight. Earlier requests count for
 * that day too, so the day never changes during a test.
 */
export async function byteBudget({ database }: Bundle, bytesPerDay: number) {
  const id = newAccount()
  await database.sql(`insert into key_spending values ($1, (now() at time zone 'utc')::date + 1, 0)`, [id])
  return { id, bytesPerDay }
}
