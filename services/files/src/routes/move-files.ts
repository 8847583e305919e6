import { moveFiles } from '@tideport/contracts/public/many-files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { moveFiles as moving } from '@tideport/file-lifecycle/many/move-files'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'
import { targetOf } from '../lookups/target-vault.ts'
import { answerIds, answerJob, type ManyDeps } from '../many/answer-many.ts'

interface Deps extends ManyDeps {
  networks: Networks
  config: ManyDeps['config'] & Pick<FilesConfig, 'trashRetentionSeconds'>
}

/** `POST /api/vaults/:vaultId/move`. */
export function moveFilesRoute(deps: Deps) {
  const { db, networks, config } = deps
  return serve(moveFiles, async (input) => {
    const { principal, params, body } = input
    const { ids, prefix, to, onConflict } = body
    const source = await findLiveVault(db, principal.accountId, params.vaultId)
    if (source === null) throw notFound()
    const vaultId = await targetOf(db, source, body.toVaultId)
    const many = { ...input, vaultId: source.id }
    if (ids !== undefined) {
      const settings = { networks, retentionSeconds: config.trashRetentionSeconds }
      return await answerIds(deps, many, {
        ids,
        operation: moving({ vaultId, folder: to, from: null, onConflict }, settings),
      })
    }
    if (prefix === to && vaultId === source.id)
      throw invalidInput('body', [{ path: 'to', message: 'Must be another folder than prefix' }])
    const toVaultId = vaultId === source.id ? null : vaultId
    return await answerJob(deps, many, { kind: 'move', toVaultId, request: { prefix, to, onConflict } })
  })
}
