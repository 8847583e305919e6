import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { FilesDb } from '../../state/tables.ts'
import type { KindOfJob } from '../advance-job.ts'
import { advanceRange } from '../advance-range.ts'
import { deleteFiles } from '../delete-files.ts'
import { forgetFolders } from '../kept-folders.ts'

const deleteRequest = z.object({ prefix: z.string(), trashed: z.boolean() })

/** What is below a prefix, in the trash or outside of it, is removed for good. */
export const deleteKind: KindOfJob = {
  isQuick: true,
  advance(deps, job, { limit }) {
    const { prefix, trashed } = deleteRequest.parse(job.request)
    const operation = deleteFiles({ networks: deps.networks, settleSeconds: deps.settleSeconds })
    const { vaultId } = job
    const atEnd = async (trx: Kysely<FilesDb>) => vaultId !== null && (await forgetFolders(trx, { vaultId, prefix }))
    return advanceRange(deps, job, limit, {
      range: { prefix, among: trashed ? 'trash' : 'kept' },
      operation,
      ...(!trashed && { atEnd }),
    })
  },
}
