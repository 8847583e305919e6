import { readCopies } from '@tideport/contracts/public/file-actions'
import { toCopies } from '@tideport/file-lifecycle/records/copy-views'
import { readCopies as readRows } from '@tideport/file-lifecycle/state/file-copies'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { ShowDeps } from '../files/show-files.ts'
import { findOwnFile } from '../lookups/find-live-file.ts'

/** `GET /api/files/:fileId/copies`, as the rows say: no network is asked. */
export function readCopiesRoute({ db, networks }: ShowDeps) {
  return serve(readCopies, async ({ principal, params: { fileId } }) => {
    if ((await findOwnFile(db, principal.accountId, fileId)) === null) throw notFound()
    return { copies: toCopies(await readRows(db, fileId), networks) }
  })
}
