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

/**
 * `POST /api/files/:fileId/retry`: retries a file in error if its bytes exist. Only one of several concurrent requests
 * does so.
 */
export function retryFileRoute({ db, hotTier, networks, config: { settleSeconds }, announce }: Deps) {
  const shown = { db, networks }
  return serve(retryFile, async ({ principal, params, signal }) => {
    const file = await getOwnFile(db, principal.accountId, params.fileId)
    const answer = await retry({ db, hotTier, networks, settleSeconds }, file, { signal })
    if (answer.outcome === 'retried') {
      announce(answer.file.id, storeQueues(networks.required))
      return await showFile(shown, answer.file, toFile)
    }
    if (answer.outcome === 'not_in_error')
      throw conflict('The file does not have the status error, so it cannot be retried')
    if (answer.outcome === 'wrong_bytes') throw conflict('The stored bytes do not match the announced size or SHA-256')
    if (answer.outcome === 'no_bytes') throw conflict('The hot tier no longer has the content, and no copy exists')
    if (answer.outcome === 'settling') {
      throw conflict('Earlier work on the file may still be in progress. Try again later.', answer.waitSeconds)
    }
    const again = await getOwnFile(db, principal.accountId, params.fileId)
    if (again.status === 'error') throw conflict('The file changed during the request. Try again.', 1)
    return await showFile(shown, again, toFile)
  })
}

function conflict(sentence: string, retryAfterSeconds?: number): AppError {
  return new AppError('state_conflict', sentence, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}
