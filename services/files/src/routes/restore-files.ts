import { restoreFiles } from '@tideport/contracts/public/many-files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { restoreFiles as restoring } from '@tideport/file-lifecycle/many/restore-files'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { may } from '../calls/confine.ts'
import type { FilesConfig } from '../config.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'
import { answerIds, answerJob, type ManyDeps } from '../many/answer-many.ts'

interface Deps extends ManyDeps {
  networks: Networks
  config: ManyDeps['config'] & Pick<FilesConfig, 'downloadUrlSeconds' | 'clockSkewSeconds' | 'trashRetentionSeconds'>
}

/** `POST /api/vaults/:vaultId/restore-files`. */
export function restoreFilesRoute(deps: Deps) {
  const { db, networks, config } = deps
  const settings = {
    networks,
    retentionSeconds: config.trashRetentionSeconds,
    evictWaitSeconds: config.downloadUrlSeconds + config.clockSkewSeconds,
  }
  return serve(restoreFiles, async (input) => {
    const { vaultId } = input.params
    if ((await findLiveVault(db, input.principal.accountId, vaultId)) === null) throw notFound()
    const many = { ...input, vaultId }
    const { ids, prefix, trashedSince } = input.body
    if (ids === undefined) return await answerJob(deps, many, { kind: 'restore', request: { prefix, trashedSince } })
    return await answerIds(deps, many, {
      ids,
      operation: restoring(settings, { swap: may(input.principal, 'replaces') ? 'replace' : 'fail' }),
    })
  })
}
