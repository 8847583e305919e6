import { readFile } from '@tideport/contracts/http/files'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { findOwnFile } from '../find-live-file.ts'
import { toFile } from '../views.ts'

/** `GET /api/files/:fileId`. */
export function readFileRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readFile, async ({ principal, params }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    return toFile(file)
  })
}
