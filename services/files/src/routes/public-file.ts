import { publicFileBytes } from '@tideport/contracts/public/public-access'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findPublicFile } from '../downloads/find-public-file.ts'
import { type PublicReadDeps, sendPublicBytes } from '../downloads/send-public-bytes.ts'

/** `GET` and `HEAD` `/api/public/files/:fileId`. */
export function publicFileRoute({ db, ...deps }: PublicReadDeps & { db: Kysely<FilesDb> }) {
  return serve(publicFileBytes, async ({ params: { fileId }, request, reply }) => {
    const file = await findPublicFile(db, fileId)
    if (file === null) throw notFound()
    return await sendPublicBytes(deps, { file, entityId: file.id }, { request, reply })
  })
}
