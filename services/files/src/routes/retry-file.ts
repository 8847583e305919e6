import { retryFile } from '@tideport/contracts/public/file-actions'
import { type RetryDeps, retryFile as retry } from '@tideport/file-lifecycle/repair/retry-file'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { type AnnounceDeps, announceWork } from '../files/announce-work.ts'
import { findOwnFile } from '../files/find-live-file.ts'
import { toFile } from '../files/views.ts'

interface Deps extends AnnounceDeps, Pick<RetryDeps, 'db' | 'hotTier'> {
  config: Pick<FilesConfig, 'settleSeconds'>
}

/** `POST /api/files/:fileId/retry`: error → hot while the bytes are in the hot tier. Of several at once one does it. */
export function retryFileRoute({ db, hotTier, config: { settleSeconds }, ...announce }: Deps) {
  return serve(retryFile, async ({ principal, params, signal }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    const answer = await retry({ db, hotTier, settleSeconds }, file, { signal })
    if (answer.outcome === 'retried') {
      announceWork(announce, answer.file.id)
      return toFile(answer.file)
    }
    if (answer.outcome === 'not_in_error') throw conflict('The file is not in error')
    if (answer.outcome === 'wrong_bytes') throw conflict('The bytes are not those that were announced')
    if (answer.outcome === 'no_bytes') throw conflict('The bytes are not in the hot tier any more')
    if (answer.outcome === 'settling') {
      throw conflict('Work on the file may not have ended yet; try again later', answer.waitSeconds)
    }
    const again = await findOwnFile(db, principal.accountId, params.fileId)
    if (again === null) throw notFound()
    if (again.status === 'error') throw conflict('The file changed meanwhile; try again', 1)
    return toFile(again)
  })
}

function conflict(sentence: string, retryAfterSeconds?: number): AppError {
  return new AppError('state_conflict', sentence, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}
