import type { JobFailure } from '@tideport/contracts/public/jobs'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { AccountJobRow } from '../jobs/account-job.ts'
import { assertVaultsLive, type JobDeps, type KindOfJob, vaultGone, writeAdvance } from '../jobs/job-kind.ts'
import { markOf } from '../jobs/made-files.ts'
import { deleteFiles } from '../operations/delete-files.ts'
import { forgetFolders, moveFolders } from '../operations/kept-folders.ts'
import { moveFiles, VaultGone } from '../operations/move-files.ts'
import type { Operation } from '../operations/operation.ts'
import { publishFiles } from '../operations/publish-files.ts'
import { restoreFiles } from '../operations/restore-files.ts'
import { trashFiles } from '../operations/trash-files.ts'
import { nextInRange, type PathPlace, type PathRange } from './files-in-range.ts'

interface RangeJob {
  range: Pick<PathRange, 'prefix' | 'among' | 'trashedSince'>
  operation: Operation
  /** Skips files whose places end with this mark, because this job moved them. */
  mark?: string
  /** Runs in the transaction of the last batch. */
  atEnd?: (trx: Kysely<FilesDb>) => Promise<unknown>
}

/** A batch of a job that changes all files below a prefix, by path. */
async function advanceRange(
  { db }: Pick<JobDeps, 'db'>,
  job: AccountJobRow,
  limit: number,
  { range, operation, mark, atEnd }: RangeJob,
): Promise<AccountJobRow> {
  const { accountId, vaultId } = job
  if (vaultId === null) throw new Error(`The job of kind ${job.kind} has no vault`)
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
      // Files that have left the range meanwhile do not count as failures.
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

function forgetting({ vaultId }: AccountJobRow, prefix: string): (trx: Kysely<FilesDb>) => Promise<unknown> {
  return async (trx) => vaultId !== null && (await forgetFolders(trx, { vaultId, prefix }))
}

const prefixRequest = z.object({ prefix: z.string() })

export const trashKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix } = prefixRequest.parse(job.request)
    const operation = trashFiles({ networks: deps.networks, retentionSeconds: deps.trashRetentionSeconds })
    const atEnd = forgetting(job, prefix)
    return advanceRange(deps, job, limit, { range: { prefix, among: 'kept' }, operation, atEnd })
  },
}

const deleteRequest = z.object({ prefix: z.string(), trashed: z.boolean() })

/** Deletes the files below a prefix permanently, in the trash or not. */
export const deleteKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix, trashed } = deleteRequest.parse(job.request)
    const operation = deleteFiles({ networks: deps.networks, settleSeconds: deps.settleSeconds })
    const atEnd = forgetting(job, prefix)
    return advanceRange(deps, job, limit, {
      range: { prefix, among: trashed ? 'trash' : 'kept' },
      operation,
      ...(!trashed && { atEnd }),
    })
  },
}

export const publishKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix } = prefixRequest.parse(job.request)
    return advanceRange(deps, job, limit, { range: { prefix, among: 'review' }, operation: publishFiles })
  },
}

const restoreRequest = z.object({ prefix: z.string(), trashedSince: z.string().optional() })

/**
 * Restores the trashed files below a prefix, optionally only those trashed since a time. Replaced files stay in the
 * trash, because several may have had the same path.
 */
export const restoreKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix, trashedSince } = restoreRequest.parse(job.request)
    const { networks, trashRetentionSeconds: retentionSeconds } = deps
    const evictWaitSeconds = deps.downloadUrlSeconds + deps.clockSkewSeconds
    const operation = restoreFiles({ networks, retentionSeconds, evictWaitSeconds }, { swap: null })
    return advanceRange(deps, job, limit, { range: { prefix, among: 'trash', trashedSince }, operation })
  },
}

const moveRequest = z.object({
  prefix: z.string(),
  to: z.string(),
  onConflict: z.enum(['keep', 'fail', 'replace']),
})

/** Moves the files below a folder to another folder, in any vault of the account. */
export const moveKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix, to: folder, onConflict } = moveRequest.parse(job.request)
    const mark = markOf(job)
    const vaultId = job.toVaultId ?? job.vaultId
    if (vaultId === null) throw new Error('The job that moves files has no vault')
    const settings = { networks: deps.networks, retentionSeconds: deps.trashRetentionSeconds }
    const operation = moveFiles({ vaultId, folder, from: prefix, onConflict, mark }, settings)
    const from = { vaultId: job.vaultId ?? vaultId, prefix }
    const atEnd = (trx: Kysely<FilesDb>) => moveFolders(trx, from, { vaultId, prefix: folder })
    return advanceRange(deps, job, limit, { range: { prefix, among: 'kept' }, operation, mark, atEnd })
  },
}
