import { readFile } from '@tideport/contracts/public/files'
import { toFile } from '@tideport/file-lifecycle/records/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type ShowDeps, showFile } from '../files/show-files.ts'
import { findOwnFile } from '../lookups/find-live-file.ts'

/** `GET /api/files/:fileId`. */
export function readFileRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(readFile, async ({ principal, params }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    return await showFile(shown, file, toFile)
  })
}
