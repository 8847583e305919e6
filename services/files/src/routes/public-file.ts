import { publicFileBytes } from '@tideport/contracts/http/public'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { findPublicFile } from '../find-public-file.ts'
import { type PublicReadDeps, sendPublicBytes } from '../send-public-bytes.ts'

/** `GET` and `HEAD` `/api/public/files/:fileId`. */
export function publicFileRoute({ db, ...deps }: PublicReadDeps & { db: Kysely<FilesDb> }) {
  return serve(publicFileBytes, async ({ params: { fileId }, request, reply }) => {
    const file = await findPublicFile(db, fileId)
    if (file === null) throw notFound()
    return await sendPublicBytes(deps, { file, entityId: file.id }, { request, reply })
  })
}
