import { deleteFiles } from '@tideport/contracts/public/many-files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { deleteFiles as deleting } from '@tideport/file-lifecycle/many/delete-files'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'
import { answerIds, answerJob, type ManyDeps } from '../many/answer-many.ts'

interface Deps extends ManyDeps {
  networks: Networks
  config: ManyDeps['config'] & Pick<FilesConfig, 'settleSeconds'>
}

/** `POST /api/vaults/:vaultId/delete`. The bytes go by a periodic task of eviction. */
export function deleteFilesRoute(deps: Deps) {
  const { db, networks, config } = deps
  const operation = deleting({ networks, settleSeconds: config.settleSeconds })
  return serve(deleteFiles, async (input) => {
    const { vaultId } = input.params
    if ((await findLiveVault(db, input.principal.accountId, vaultId)) === null) throw notFound()
    const many = { ...input, vaultId }
    const { ids, prefix, trashed } = input.body
    if (ids === undefined) return await answerJob(deps, many, { kind: 'delete', request: { prefix, trashed } })
    return await answerIds(deps, many, { ids, operation })
  })
}
