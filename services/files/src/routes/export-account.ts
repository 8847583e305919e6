import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { exportAccount } from '@tideport/contracts/public/export'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { FilesConfig } from '../config.ts'
import { type ManyDeps, makeJob } from '../many/answer-many.ts'
import { uploadLimits } from '../uploads/upload-limits.ts'
import type { OpenAccount } from '../vaults/default-vault.ts'
import { insertVault } from '../vaults/insert-vault.ts'

interface Deps extends ManyDeps {
  networks: Networks
  openAccount: OpenAccount
  config: ManyDeps['config'] &
    Pick<FilesConfig, 'maxFileBytes' | 'maxPutBytes' | 'accountQuotaBytes' | 'openUploadsMax'>
}

/** Bytes of files in one CAR. */
const PART_BYTES = 256 * 1024 ** 2
/** What the CARs and manifests have beyond the bytes of the files, at most: some KiB for each file. */
const MORE_BYTES = 4096
/** In requests: all of an account is read. */
const COST = 20

/** `POST /api/account/export`. What does not fit into the quota is refused before the vault is there. */
export function exportAccountRoute(deps: Deps) {
  const { relay, networks, openAccount, config } = deps
  const { largest, quotaBytes, openUploadsMax } = uploadLimits(networks, config)
  const settings = { partBytes: Math.min(PART_BYTES, largest.file / 2), quotaBytes, openUploadsMax }
  return serve(exportAccount, async ({ principal, headers, body, charge }) => {
    assertMayRead(principal)
    const { accountId } = principal
    await openAccount(accountId)
    charge(COST)
    const toVaultId = uuidv7()
    const { filesExpireAfterSeconds = null } = body
    const made = await makeJob(
      deps,
      { principal, headers },
      {
        ...{ kind: 'export', vaultId: null, toVaultId, request: {}, settings, body },
        alongside: async (trx) => {
          await assertFits(trx, accountId, quotaBytes)
          const name = `export-${new Date().toISOString().slice(0, 10)}`
          const description = 'Made by an export of the account'
          const vault = { id: toVaultId, accountId, name, description, visibility: 'private' as const }
          await insertVault(trx, { ...vault, filesExpireAfterSeconds, isExport: true })
        },
      },
    )
    relay.wake()
    return made
  })
}

function assertMayRead({ scopes, limits }: AccountPrincipal): void {
  if (scopes !== null && !scopes.includes('files:read')) {
    throw new AppError('insufficient_scope', 'The API key lacks a required scope', {
      details: { requiredScope: 'files:read' },
    })
  }
  // How many bytes it is is known when all of it was read.
  if ((limits?.budgets.length ?? 0) > 0)
    throw outsideLimits('The API key has a limit of bytes a day', { limit: 'bytesPerDay' })
}

async function assertFits(trx: Kysely<FilesDb>, accountId: string, quotaBytes: number): Promise<void> {
  if (quotaBytes === 0) return
  const { rows } = await sql<{ storageBytes: number; neededBytes: number }>`
    select storage_bytes, (select coalesce(sum(storage_bytes + file_count * ${MORE_BYTES}::bigint), 0)::bigint from vault
      where account_id = account.id and deleted_at is null and not is_export) as needed_bytes
    from account where id = ${accountId}`.execute(trx)
  const { storageBytes = 0, neededBytes = 0 } = rows[0] ?? {}
  if (storageBytes + neededBytes <= quotaBytes) return
  throw new AppError('quota_exceeded', 'The export does not fit into the quota of the account', {
    details: { quotaBytes, storageBytes, neededBytes },
  })
}
