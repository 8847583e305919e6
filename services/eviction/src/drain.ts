import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

const BATCH = 8

/**
 * One run of a clock: takes up rows until none is due, a few at a time. `selectDue` answers ids only of rows that a
 * visit changes so that they are due no longer, or that fail. A failure ends the run when its batch is through.
 */
export async function drain(
  db: Kysely<FilesDb>,
  signal: AbortSignal,
  selectDue: (limit: number) => RawBuilder<{ id: string }>,
  visit: (id: string) => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await selectDue(BATCH).execute(db)
    const results = await Promise.allSettled(rows.map(({ id }) => visit(id)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    if (rows.length < BATCH) return
  }
}

/** Nobody else works on it. A visit that claims keeps a row that fails from being taken up again at once. */
export const isUnclaimed = sql`(claimed_until is null or claimed_until <= now())`
