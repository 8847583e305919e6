import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { exportAccount } from '@tideport/contracts/public/export'
import { bucketRules } from '@tideport/export/bucket/export-buckets'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { lacksScope, outsideLimits } from '@tideport/service-kit/http/authorize'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { v7 as uuidv7 } from 'uuid'
import type { FilesConfig } from '../config.ts'
import { type ManyDeps, makeJob } from '../jobs/answer-many.ts'
import { uploadLimits } from '../uploads/new-upload.ts'
import type { OpenAccount } from '../vaults/default-vault.ts'
import { toBucket, toVault } from './targets.ts'

interface Deps extends ManyDeps {
  networks: Networks
  openAccount: OpenAccount
  config: FilesConfig
}

const PART_BYTES = 256 * 1024 ** 2
const COST = 20

export function exportRoutes(deps: Deps) {
  return { exportAccount: exportAccountRoute(deps) } satisfies Partial<RoutesOf<'files'>>
}

function exportAccountRoute(deps: Deps) {
  const { relay, networks, openAccount, config } = deps
  const rules = bucketRules(config)
  const { largest, quotaBytes, openUploadsMax } = uploadLimits(networks, config)
  const settings = { partBytes: Math.min(PART_BYTES, largest.file / 2), quotaBytes, openUploadsMax }
  return serve(exportAccount, async ({ principal, headers, body, charge }) => {
    assertMayRead(principal)
    const { accountId } = principal
    await openAccount(accountId)
    charge(COST)
    const id = uuidv7()
    const { target, filesExpireAfterSeconds = null } = body
    const wanted = target
      ? toBucket({ accountId, id }, target, { rules, auditRetentionSeconds: config.auditRetentionSeconds })
      : { ...toVault(accountId, { quotaBytes, filesExpireAfterSeconds }), body }
    const made = await makeJob(deps, { principal, headers }, { id, kind: 'export', vaultId: null, settings, ...wanted })
    relay.wake()
    return made
  })
}

function assertMayRead({ scopes, limits }: AccountPrincipal): void {
  if (scopes !== null && !scopes.includes('files:read')) throw lacksScope('files:read')
  // The size of the export is known only after everything was read.
  if ((limits?.budgets.length ?? 0) > 0)
    throw outsideLimits('The API key has a daily byte limit, so it cannot start an export', { limit: 'bytesPerDay' })
}
