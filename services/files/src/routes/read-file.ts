import { readFile } from '@tideport/contracts/public/files'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findOwnFile } from '../files/find-live-file.ts'
import { toFile } from '../files/views.ts'

/** `GET /api/files/:fileId`. */
export function readFileRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readFile, async ({ principal, params }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    return toFile(file)
  })
}
