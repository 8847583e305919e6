import { deleteFiles } from '@tideport/bulk-jobs/operations/delete-files'
import { moveFiles } from '@tideport/bulk-jobs/operations/move-files'
import type { Operation } from '@tideport/bulk-jobs/operations/operation'
import { publishFiles } from '@tideport/bulk-jobs/operations/publish-files'
import { restoreFiles } from '@tideport/bulk-jobs/operations/restore-files'
import { trashFiles } from '@tideport/bulk-jobs/operations/trash-files'
import * as contracts from '@tideport/contracts/public/many-files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { serve } from '@tideport/service-kit/http/route'
import { may } from '../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../config.ts'
import { getLiveVault, targetOf } from '../lookups/authorized-vault.ts'
import { answerIds, answerJob, type Many, type ManyDeps } from './answer-many.ts'

type Settings = 'trashRetentionSeconds' | 'settleSeconds' | 'downloadUrlSeconds' | 'clockSkewSeconds'

export interface ManyFilesDeps extends ManyDeps {
  networks: Networks
  config: ManyDeps['config'] & Pick<FilesConfig, Settings>
}

export function manyFilesRoutes(deps: ManyFilesDeps) {
  const { networks, config } = deps
  const retentionSeconds = config.trashRetentionSeconds
  const evictWaitSeconds = config.downloadUrlSeconds + config.clockSkewSeconds
  const trash = trashFiles({ networks, retentionSeconds })
  const remove = deleteFiles({ networks, settleSeconds: config.settleSeconds })
  return {
    moveFiles: moveFilesRoute(deps),
    trashFiles: serve(contracts.trashFiles, (input) => answer(deps, input, 'trash', trash)),
    restoreFiles: serve(contracts.restoreFiles, (input) => {
      const swap = may(input.principal, 'replaces') ? 'replace' : 'fail'
      const restore = restoreFiles({ networks, retentionSeconds, evictWaitSeconds }, { swap })
      return answer(deps, input, 'restore', restore)
    }),
    publishFiles: serve(contracts.publishFiles, (input) => answer(deps, input, 'publish', publishFiles)),
    // A periodic task of eviction deletes the bytes.
    deleteFiles: serve(contracts.deleteFiles, (input) => answer(deps, input, 'delete', remove)),
  }
}

interface Input extends Omit<Many, 'vaultId'> {
  params: { vaultId: string }
  body: { ids?: readonly string[] | undefined }
}

async function answer(
  deps: ManyFilesDeps,
  { params: { vaultId }, body: { ids, ...request }, ...input }: Input,
  kind: 'trash' | 'restore' | 'publish' | 'delete',
  operation: Operation,
) {
  await getLiveVault(deps.db, input.principal.accountId, vaultId)
  const many = { ...input, vaultId }
  return ids === undefined
    ? await answerJob(deps, many, { kind, request })
    : await answerIds(deps, many, { ids, operation })
}

function moveFilesRoute(deps: ManyFilesDeps) {
  const { db, networks, config } = deps
  return serve(contracts.moveFiles, async (input) => {
    const { principal, params, body } = input
    const { ids, prefix, to, onConflict } = body
    const source = await getLiveVault(db, principal.accountId, params.vaultId)
    const vaultId = await targetOf(db, source, body.toVaultId)
    const many = { ...input, vaultId: source.id }
    if (ids !== undefined) {
      const settings = { networks, retentionSeconds: config.trashRetentionSeconds }
      const operation = moveFiles({ vaultId, folder: to, from: null, onConflict }, settings)
      return await answerIds(deps, many, { ids, operation })
    }
    if (prefix === to && vaultId === source.id)
      throw invalidInput('body', [{ path: 'to', message: 'Must differ from prefix' }])
    const toVaultId = vaultId === source.id ? null : vaultId
    return await answerJob(deps, many, { kind: 'move', toVaultId, request: { prefix, to, onConflict } })
  })
}
