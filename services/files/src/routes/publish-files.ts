import { publishFiles } from '@tideport/contracts/public/many-files'
import { publishFiles as publishing } from '@tideport/file-lifecycle/many/publish-files'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { findLiveVault } from '../lookups/seen-vault.ts'
import { answerIds, answerJob, type ManyDeps } from '../many/answer-many.ts'

/** `POST /api/vaults/:vaultId/publish`. */
export function publishFilesRoute(deps: ManyDeps) {
  return serve(publishFiles, async (input) => {
    const { vaultId } = input.params
    if ((await findLiveVault(deps.db, input.principal.accountId, vaultId)) === null) throw notFound()
    const many = { ...input, vaultId }
    const { ids, prefix } = input.body
    if (ids === undefined) return await answerJob(deps, many, { kind: 'publish', request: { prefix } })
    return await answerIds(deps, many, { ids, operation: publishing })
  })
}
