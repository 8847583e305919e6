import { renewUploadUrls } from '@tideport/contracts/public/uploads'
import { partCount } from '@tideport/file-lifecycle/upload/part-layout'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { isOpenTo } from '../calls/withhold.ts'
import { findOwnFile } from '../lookups/find-live-file.ts'
import { issuePartUrls, type UploadUrlDeps } from '../uploads/issue-upload-url.ts'

/** `POST /api/files/:fileId/upload-urls`: the old URLs stay good until they expire. */
export function renewUploadUrlsRoute(deps: UploadUrlDeps) {
  return serve(renewUploadUrls, async ({ principal, params, body, charge }) => {
    const upload = await findOwnFile(deps.db, principal.accountId, params.fileId)
    if (upload === null || !isOpenTo(principal, upload)) throw notFound()
    const partNumbers = [...new Set(body.partNumbers)]
    const count = partCount(upload)
    if (partNumbers.some((partNumber) => partNumber > count)) {
      const issues = [{ path: 'partNumbers', message: `Must be 1 to ${count}` }]
      throw invalidInput('body', issues)
    }
    return await issuePartUrls(deps, upload, { partNumbers, charge })
  })
}
