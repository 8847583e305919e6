import { retryFile } from '@tideport/contracts/public/file-actions'
import { type RetryDeps, retryFile as retry } from '@tideport/file-lifecycle/copies/retry-file'
import { type ShowDeps, showFile, toFile } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { getOwnFile } from '../lookups/find-file.ts'
import { type AnnounceDeps, storeQueues } from './announce-work.ts'

interface Deps extends AnnounceDeps, ShowDeps, Pick<RetryDeps, 'hotTier'> {
  config: Pick<FilesConfig, 'settleSeconds'>
}

/** `POST /api/files/:fileId/retry`: out of error, while its bytes are anywhere. Of several at once one does it. */
export function retryFileRoute({ db, hotTier, networks, config: { settleSeconds }, announce }: Deps) {
  const shown = { db, networks }
  return serve(retryFile, async ({ principal, params, signal }) => {
    const file = await getOwnFile(db, principal.accountId, params.fileId)
    const answer = await retry({ db, hotTier, networks, settleSeconds }, file, { signal })
    if (answer.outcome === 'retried') {
      announce(answer.file.id, storeQueues(networks.required))
      return await showFile(shown, answer.file, toFile)
    }
    if (answer.outcome === 'not_in_error') throw conflict('The file is not in error')
    if (answer.outcome === 'wrong_bytes') throw conflict('The bytes are not those that were announced')
    if (answer.outcome === 'no_bytes')
      throw conflict('The bytes are not in the hot tier any more, and no copy of them is left')
    if (answer.outcome === 'settling') {
      throw conflict('Work on the file may not have ended yet; try again later', answer.waitSeconds)
    }
    const again = await getOwnFile(db, principal.accountId, params.fileId)
    if (again.status === 'error') throw conflict('The file changed meanwhile; try again', 1)
    return await showFile(shown, again, toFile)
  })
}

function conflict(sentence: string, retryAfterSeconds?: number): AppError {
  return new AppError('state_conflict', sentence, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}
