import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import type { Kysely } from 'kysely'
import { isCrossed } from '../jobs/write-conflicts.ts'
import type { Chosen, Failures, Operation } from './operation.ts'

/** Files of one transaction. */
const BATCH = 200
const TRIES_MAX = 20

/**
 * Changes the files in transactions of some hundred files. Can be repeated after an interruption. Each transaction may
 * wait for Postgres as long as a request.
 */
export async function applyToIds(db: Kysely<FilesDb>, operation: Operation, chosen: Chosen): Promise<Failures> {
  const failures: Failures = new Map()
  const apply = (ids: readonly string[]) =>
    withWaitBudget(new WaitBudget(postgresWaitMs), () =>
      db.transaction().execute((trx) => operation.apply(trx, { ...chosen, ids })),
    )
  for (let start = 0; start < chosen.ids.length; start += BATCH) {
    const ids = chosen.ids.slice(start, start + BATCH)
    const found = await unlessCrossed(() => apply(ids))
    for (const [id, failure] of found ?? (await eachAlone(ids, apply))) failures.set(id, failure)
  }
  return failures
}

async function eachAlone(
  ids: readonly string[],
  apply: (ids: readonly string[]) => Promise<Failures>,
): Promise<Failures> {
  const failures: Failures = new Map()
  for (const id of ids) {
    let found: Failures | null = null
    for (let tried = 0; found === null && tried < TRIES_MAX; tried += 1) found = await unlessCrossed(() => apply([id]))
    const failure = found === null ? 'state_conflict' : found.get(id)
    if (failure !== undefined) failures.set(id, failure)
  }
  return failures
}

async function unlessCrossed<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (isCrossed(error)) return null
    throw error
  }
}
