import { tellAccount } from '@tideport/bulk-jobs/jobs/account-job'
import type { ExportTarget } from '@tideport/contracts/public/export-target'
import { type ExportBucket, sealCredentials } from '@tideport/export/bucket/bucket-request'
import type { BucketRules } from '@tideport/export/bucket/export-buckets'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { findUrlFault } from '@tideport/service-kit/outgoing/url-fault'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { insertVault } from '../vaults/insert-vault.ts'

/** An export into the account's own bucket. Only the job has its credentials, encrypted. Throws `validation_failed`. */
export function toBucket(
  job: { accountId: string; id: string },
  target: ExportTarget,
  { rules, auditRetentionSeconds }: { rules: BucketRules | null; auditRetentionSeconds: number },
) {
  if (rules === null) throw refused('type', 'Exports to buckets are disabled in this installation')
  const { endpoint, region, bucket, prefix, forcePathStyle = endpoint !== undefined } = target
  const { accessKeyId, secretAccessKey, sessionToken } = target
  const fault = endpoint === undefined ? null : findUrlFault(endpoint, rules.urlRules)
  if (fault !== null) throw refused('endpoint', fault)
  const root = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
  // A separate folder keeps exports apart.
  const folder = `${root}export-${new Date().toISOString().slice(0, 10)}-${job.id.slice(-12)}/`
  const to = `s3://${bucket}/${folder}`
  const where: ExportBucket = { region, bucket, forcePathStyle, folder, ...(endpoint !== undefined && { endpoint }) }
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  return {
    toVaultId: null,
    // The fields that a repeated request must match. Excludes secrets, because a digest of the fields is stored.
    body: { endpoint, region, bucket, prefix, forcePathStyle, accessKeyId },
    request: { bucket: where, to },
    // The account's log shows which bucket gets its files.
    async alongside(trx: Transaction<FilesDb>): Promise<void> {
      const payload = sql`jsonb_build_object('to', ${to}::text, 'endpoint', ${endpoint ?? null}::text)`
      const { accountId } = job
      await tellAccount(trx, { accountId, type: 'account.export_started', payload, auditRetentionSeconds })
    },
    sealedSecret: sealCredentials(rules.box, job, credentials),
  }
}

function refused(field: string, message: string): AppError {
  return new AppError('validation_failed', `The export cannot use this bucket: ${message}`, {
    details: { issues: [{ path: `target.${field}`, message }] },
  })
}

/** Upper bound of the bytes that CARs and manifests add to the bytes of the files: some KiB per file. */
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
      const description = 'Created by an export of the account'
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
  throw new AppError('quota_exceeded', 'The export exceeds the quota of the account', {
    details: { quotaBytes, storageBytes, neededBytes },
  })
}
