import { type Bundle, newAccount } from './bundle.ts'

/**
 * A key's budget whose last bytes were moved tomorrow, as by a request that was done after midnight: what begins
 * before counts in that day, so no test sees the day end.
 */
export async function byteBudget({ database }: Bundle, bytesPerDay: number) {
  const id = newAccount()
  await database.sql(`insert into key_spending values ($1, (now() at time zone 'utc')::date + 1, 0)`, [id])
  return { id, bytesPerDay }
}
