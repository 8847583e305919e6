import { currentTrace } from '@tideport/service-kit/context/request-context'
import { gatherWrites } from '@tideport/service-kit/postgres/gather-writes'
import type { Kysely } from 'kysely'
import type { NetworkNames } from '../state/file-copies.ts'
import { markAllHot, type Seen } from '../state/mark-all-hot.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { createUploads, type NewUpload } from './uploads.ts'

const TOGETHER_MAX = 64

/** What uploads change in the counters of their account. */
export interface GatheredUploads {
  /** As `createUpload`. */
  create(upload: NewUpload): Promise<FileRow | null>
  /** As `markHot`. */
  markHot(file: FileRow): Promise<FileRow | null>
}

/**
 * Writes together what one account uploads at once in this process: each of these statements changes the counters in
 * the account's row, where one would wait for the other (docs/adr/0051).
 */
export function gatherUploads(db: Kysely<FilesDb>, networks: NetworkNames): GatheredUploads {
  const create = gatherWrites<NewUpload, FileRow | null>(
    async (uploads) => {
      const rows = await createUploads(db, uploads)
      // Some of them may be created, and which these are is for each to find out.
      if (rows === null && uploads.length > 1) throw new Error('Not all of the uploads can be created')
      return uploads.map(({ id }) => rows?.find((row) => row.id === id) ?? null)
    },
    { itemsMax: TOGETHER_MAX },
  )
  const confirm = gatherWrites<Seen, FileRow | null>((seen) => markAllHot(db, seen, networks), {
    itemsMax: TOGETHER_MAX,
  })
  return {
    create: (upload) => create(upload.accountId, upload),
    markHot: (file) => confirm(file.accountId, { file, trace: currentTrace() }),
  }
}
