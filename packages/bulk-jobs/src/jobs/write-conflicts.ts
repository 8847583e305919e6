import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { isOvertaken } from '@tideport/file-lifecycle/state/take-path'
import { isDeadlock } from '@tideport/service-kit/postgres/database-errors'
import { type Kysely, sql } from 'kysely'

/** Whether another request changed one of the files of a transaction. */
export function isCrossed(error: unknown): boolean {
  return isOvertaken(error) || isDeadlock(error)
}

/** Null: overtaken at its path. The transaction can continue. */
export async function unlessOvertaken<T>(trx: Kysely<FilesDb>, write: () => Promise<T>): Promise<T | null> {
  await sql`savepoint one_file`.execute(trx)
  try {
    const written = await write()
    await sql`release savepoint one_file`.execute(trx)
    return written
  } catch (error) {
    if (!isOvertaken(error)) throw error
    await sql`rollback to savepoint one_file`.execute(trx)
    return null
  }
}
