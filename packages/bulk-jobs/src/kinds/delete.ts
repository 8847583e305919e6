import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { KindOfJob } from '../jobs/advance-job.ts'
import { deleteFiles } from '../operations/delete-files.ts'
import { forgetFolders } from '../operations/kept-folders.ts'
import { advanceRange } from './advance-range.ts'

const deleteRequest = z.object({ prefix: z.string(), trashed: z.boolean() })

/** Deletes the files below a prefix permanently, in the trash or not. */
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
