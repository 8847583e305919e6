import type { JobFailure } from '@tideport/contracts/public/jobs'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Kysely } from 'kysely'
import type { AccountJobRow } from '../jobs/account-job.ts'
import { assertVaultsLive, type JobDeps, vaultGone, writeAdvance } from '../jobs/advance-job.ts'
import { VaultGone } from '../operations/move-files.ts'
import type { Operation } from '../operations/operation.ts'
import { nextInRange, type PathPlace, type PathRange } from './files-in-range.ts'

interface RangeJob {
  range: Pick<PathRange, 'prefix' | 'among' | 'trashedSince'>
  operation: Operation
  /** Files whose places end like this were moved by this job, and are skipped. */
  mark?: string
  /** In the transaction of the last batch. */
  atEnd?: (trx: Kysely<FilesDb>) => Promise<unknown>
}

/** A batch of a job that changes all files below a prefix, by path. */
export async function advanceRange(
  { db }: Pick<JobDeps, 'db'>,
  job: AccountJobRow,
  limit: number,
  { range, operation, mark, atEnd }: RangeJob,
): Promise<AccountJobRow> {
  const { accountId, vaultId } = job
  if (vaultId === null) throw new Error(`A job of kind ${job.kind} has no vault`)
  const { prefix } = range
  const after = job.progress as PathPlace | null
  try {
    return await db.transaction().execute(async (trx) => {
      await assertVaultsLive(trx, job)
      const files = await nextInRange(trx, { vaultId, ...range }, { after, limit })
      const wanted = files.filter(({ isWanted, tie }) => isWanted && !(mark && tie.endsWith(mark)))
      const ids = wanted.map(({ id }) => id)
      const found =
        ids.length === 0 ? new Map() : await operation.apply(trx, { accountId, vaultId, ids, prefixes: [prefix] })
      // Files that have left the range meanwhile are no failures.
      const failures = wanted.flatMap(({ id, path }): JobFailure[] => {
        const code = found.get(id) ?? 'not_found'
        return code === 'not_found' ? [] : [{ fileId: id, path, code }]
      })
      const isOver = files.length < limit
      if (isOver) await atEnd?.(trx)
      await failpoint('many.before-advance')
      const last = files.at(-1)
      const written = await writeAdvance(trx, job, {
        progress: last ? { path: last.path, tie: last.tie } : after,
        done: ids.length - found.size,
        failures,
        isOver,
      })
      await failpoint('many.before-commit')
      return written
    })
  } catch (error) {
    throw error instanceof VaultGone ? vaultGone() : error
  }
}
