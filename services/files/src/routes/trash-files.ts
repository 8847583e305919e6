import { trashFiles } from '@tideport/contracts/public/many-files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { trashFiles as trashing } from '@tideport/file-lifecycle/many/trash-files'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'
import { answerIds, answerJob, type ManyDeps } from '../many/answer-many.ts'

interface Deps extends ManyDeps {
  networks: Networks
  config: ManyDeps['config'] & Pick<FilesConfig, 'trashRetentionSeconds'>
}

/** `POST /api/vaults/:vaultId/trash`. */
export function trashFilesRoute(deps: Deps) {
  const { db, networks, config } = deps
  return serve(trashFiles, async (input) => {
    const { vaultId } = input.params
    if ((await findLiveVault(db, input.principal.accountId, vaultId)) === null) throw notFound()
    const many = { ...input, vaultId }
    const { ids, prefix } = input.body
    if (ids === undefined) return await answerJob(deps, many, { kind: 'trash', request: { prefix } })
    const operation = trashing({ networks, retentionSeconds: config.trashRetentionSeconds })
    return await answerIds(deps, many, { ids, operation })
  })
}
