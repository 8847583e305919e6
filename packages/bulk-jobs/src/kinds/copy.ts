import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { AccountJobRow } from '../jobs/account-job.ts'
import { assertVaultsLive, type JobDeps, type KindOfJob } from '../jobs/job-kind.ts'
import { giveUpLeft, markOf } from '../jobs/made-files.ts'
import { whileClaimed } from '../jobs/while-claimed.ts'
import { type CopyTo, copyFiles } from '../operations/copy-files.ts'
import { copyFolders } from '../operations/kept-folders.ts'
import { nextInRange, type PathPlace } from './files-in-range.ts'

export const copyRequest = z.object({
  /** Either `ids` or `prefix` is set. */
  ids: z.array(z.string()).optional(),
  prefix: z.string().optional(),
  /** Skips files of `ids` whose paths begin with none of these prefixes. Unset: skips none. */
  prefixes: z.array(z.string()).optional(),
  to: z.string(),
  onConflict: z.enum(['keep', 'fail', 'replace']),
  /** The account's limits. */
  quotaBytes: z.number(),
  openUploadsMax: z.number(),
})
type CopyRequest = z.output<typeof copyRequest>

/** Concurrent copies. */
const AT_ONCE = 8

/** Copies the named files, or those below a folder, to a folder of any vault of the account. */
export const copyKind: KindOfJob = {
  isQuick: false,
  begin: giveUpLeft,
  async advance(deps, job, { limit, signal }) {
    const request = copyRequest.parse(job.request)
    const { vaultId } = job
    if (vaultId === null) throw new Error('The job that copies files has no vault')
    await assertVaultsLive(deps.db, job)
    const { ids, progress, isOver } = await nextIds(deps, { ...job, vaultId }, request, Math.min(limit, AT_ONCE))
    const to: CopyTo = {
      ...{ vaultId: job.toVaultId ?? vaultId, folder: request.to, from: request.prefix ?? null },
      ...{ onConflict: request.onConflict, quotaBytes: request.quotaBytes, openUploadsMax: request.openUploadsMax },
    }
    const { prefix } = request
    const atEnd =
      prefix === undefined
        ? undefined
        : (trx: Kysely<FilesDb>) => copyFolders(trx, { vaultId, prefix }, { vaultId: to.vaultId, prefix: to.folder })
    const batch = { vaultId, ids, prefixes: request.prefixes ?? null, to, next: { progress, isOver }, atEnd }
    return await whileClaimed(deps, job, signal, (claimed) => copyFiles(deps, job, batch, claimed))
  },
}

interface Next {
  ids: string[]
  progress: object | null
  isOver: boolean
}

async function nextIds(
  { db }: JobDeps,
  job: AccountJobRow & { vaultId: string },
  request: CopyRequest,
  limit: number,
): Promise<Next> {
  if (request.ids !== undefined) {
    const done = (job.progress as { count: number } | null)?.count ?? 0
    const ids = request.ids.slice(done, done + limit)
    return { ids, progress: { count: done + ids.length }, isOver: done + ids.length >= request.ids.length }
  }
  const { vaultId } = job
  const after = job.progress as PathPlace | null
  const range = { vaultId, prefix: request.prefix ?? '', among: 'kept' } as const
  const files = await nextInRange(db, range, { after, limit })
  const last = files.at(-1)
  // The range may contain files that this job created.
  const ids = files.filter(({ id, isWanted }) => isWanted && !id.endsWith(markOf(job))).map(({ id }) => id)
  return { ids, progress: last ? { path: last.path, tie: last.tie } : after, isOver: files.length < limit }
}
