import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { insertVault } from '../vaults/insert-vault.ts'

/** What the CARs and manifests have beyond the bytes of the files, at most: some KiB for each file. */
const MORE_BYTES = 4096

interface Kept {
  quotaBytes: number
  filesExpireAfterSeconds: number | null
}

export function toVault(accountId: string, { quotaBytes, filesExpireAfterSeconds }: Kept) {
  const toVaultId = uuidv7()
  return {
    toVaultId,
    request: {},
    async alongside(trx: Transaction<FilesDb>): Promise<void> {
      await assertFits(trx, accountId, quotaBytes)
      const name = `export-${new Date().toISOString().slice(0, 10)}`
      const description = 'Made by an export of the account'
      const vault = { id: toVaultId, accountId, name, description, visibility: 'private' as const }
      await insertVault(trx, { ...vault, filesExpireAfterSeconds, isExport: true })
    },
  }
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
