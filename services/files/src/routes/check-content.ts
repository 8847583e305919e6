import { checkContent, contentLengthHeader } from '@tideport/contracts/internal/api'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { type ContentLimits, checkForm, checkVault } from '../content/check-request.ts'

/** Whether an upload in one call would be taken, before its client sends any of its bytes. */
export function checkContentRoute({ db, limits }: { db: Kysely<FilesDb>; limits: ContentLimits }) {
  return serve(checkContent, async ({ principal, params, query, headers }) => {
    const sizeBytes = Number(headers[contentLengthHeader] ?? 0)
    const request = { accountId: principal.accountId, ...params, query }
    checkForm(request, sizeBytes, limits)
    await checkVault(db, request, sizeBytes, limits)
    return {}
  })
}
