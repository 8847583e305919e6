import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { KindOfJob } from '../jobs/advance-job.ts'
import { moveFolders } from '../operations/kept-folders.ts'
import { moveFiles } from '../operations/move-files.ts'
import { advanceRange } from './advance-range.ts'

export const moveRequest = z.object({
  prefix: z.string(),
  to: z.string(),
  onConflict: z.enum(['keep', 'fail', 'replace']),
})

/** Digits of the job's ID in the places of files that it has moved. */
const MARK_DIGITS = 10

/** Moves the files below a folder to another one, of any vault of the account. */
export const moveKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix, to: folder, onConflict } = moveRequest.parse(job.request)
    const mark = job.id.slice(-MARK_DIGITS)
    const vaultId = job.toVaultId ?? job.vaultId
    if (vaultId === null) throw new Error('A job that moves files has no vault')
    const settings = { networks: deps.networks, retentionSeconds: deps.trashRetentionSeconds }
    const operation = moveFiles({ vaultId, folder, from: prefix, onConflict, mark }, settings)
    const from = { vaultId: job.vaultId ?? vaultId, prefix }
    const atEnd = (trx: Kysely<FilesDb>) => moveFolders(trx, from, { vaultId, prefix: folder })
    return advanceRange(deps, job, limit, { range: { prefix, among: 'kept' }, operation, mark, atEnd })
  },
}
