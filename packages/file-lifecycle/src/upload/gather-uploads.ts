import { currentTrace } from '@tideport/service-kit/context/request-context'
import { gatherStatements } from '@tideport/service-kit/postgres/gather-statements'
import type { Kysely } from 'kysely'
import type { NetworkNames } from '../state/file-copies.ts'
import { markAllHot, type Seen } from '../state/mark-all-hot.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { type BegunUpload, beginCompletingAll, recordUploadIds } from './open-uploads.ts'
import { beginCompleting, createUploads, type NewUpload, recordUploadId } from './uploads.ts'

/** The one key of what is gathered for all accounts. */
const ALL = ''

/** What every upload writes: the functions of these names. */
export interface GatheredUploads {
  create(upload: NewUpload): Promise<FileRow | null>
  recordUploadId(...args: WithoutDb<typeof recordUploadId>): ReturnType<typeof recordUploadId>
  beginCompleting(...args: WithoutDb<typeof beginCompleting>): ReturnType<typeof beginCompleting>
  markHot(file: FileRow): Promise<FileRow | null>
}

type WithoutDb<F> = F extends (db: Kysely<FilesDb>, ...args: infer Args) => unknown ? Args : never

/**
 * Writes together what is uploaded at once in this process (docs/adr/0051). Statements for all accounts leave out the
 * rows that somebody holds, so nobody waits for a stranger. What they leave out, or whose conditions do not hold, is
 * asked for again: creations and confirms with those of the same account, the rest alone.
 */
export function gatherUploads(db: Kysely<FilesDb>, networks: NetworkNames): GatheredUploads {
  const create = (unlessHeld: boolean) =>
    gatherStatements<NewUpload, FileRow | null>(
      async (uploads) => {
        const rows = await createUploads(db, uploads, { unlessHeld })
        // Some of an account may be created, and which these are is for each to find out.
        if (!unlessHeld && rows.length === 0 && uploads.length > 1)
          throw new Error('Not all of the uploads can be created')
        return uploads.map(({ id }) => rows.find((row) => row.id === id) ?? null)
      },
      { lingers: unlessHeld },
    )
  const markHot = (unlessHeld: boolean) =>
    gatherStatements<Seen, FileRow | null>((seen) => markAllHot(db, seen, { ...networks, unlessHeld }), {
      lingers: unlessHeld,
    })
  const [createOfAll, createOfAccount, hotOfAll, hotOfAccount] = [
    create(true),
    create(false),
    markHot(true),
    markHot(false),
  ]
  const record = gatherStatements<BegunUpload & { urlSeconds: number; settleSeconds: number }, FileRow | null>(
    (begun) => recordUploadIds(db, begun, begun[0]),
    { lingers: true },
  )
  const complete = gatherStatements<{ file: FileRow; settleSeconds: number }, FileRow | null>(
    (uploads) => beginCompletingAll(db, uploads, uploads[0]),
    { lingers: true },
  )
  return {
    create: async (upload) => (await createOfAll(ALL, upload)) ?? (await createOfAccount(upload.accountId, upload)),
    recordUploadId: async (file, begun) =>
      (await record(ALL, { file, ...begun })) ?? (await recordUploadId(db, file, begun)),
    async beginCompleting(file, lives) {
      const begun = file.completingAt === null ? await complete(ALL, { file, ...lives }) : null
      return begun ? { file: begun, isOverdue: false } : await beginCompleting(db, file, lives)
    },
    async markHot(file) {
      const seen = { file, trace: currentTrace() }
      return (await hotOfAll(ALL, seen)) ?? (await hotOfAccount(file.accountId, seen))
    },
  }
}
