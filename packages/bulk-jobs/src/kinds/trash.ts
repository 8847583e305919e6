import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { KindOfJob } from '../jobs/advance-job.ts'
import { forgetFolders } from '../operations/kept-folders.ts'
import { trashFiles } from '../operations/trash-files.ts'
import { advanceRange } from './advance-range.ts'

const trashRequest = z.object({ prefix: z.string() })

export const trashKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix } = trashRequest.parse(job.request)
    const operation = trashFiles({ networks: deps.networks, retentionSeconds: deps.trashRetentionSeconds })
    const { vaultId } = job
    const atEnd = async (trx: Kysely<FilesDb>) => vaultId !== null && (await forgetFolders(trx, { vaultId, prefix }))
    return advanceRange(deps, job, limit, { range: { prefix, among: 'kept' }, operation, atEnd })
  },
}
