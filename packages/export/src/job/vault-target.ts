import type { AccountJobRow } from '@tideport/bulk-jobs/jobs/account-job'
import { assertVaultsLive, type JobDeps, JobEnd } from '@tideport/bulk-jobs/jobs/job-kind'
import { beginFile, giveUp } from '@tideport/bulk-jobs/jobs/made-files'
import { confirmCopy } from '@tideport/bulk-jobs/operations/copy-files'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import type { ExportTarget, NewObject } from '../records/export-target.ts'

interface Limits {
  quotaBytes: number
  openUploadsMax: number
}

/**
 * Writes an export to its vault, as uploads until the batch is committed. Throws `JobEnd` when the quota is exceeded.
 */
export function vaultTarget(deps: JobDeps, job: AccountJobRow, limits: Limits): ExportTarget {
  return {
    prepare: () => assertVaultsLive(deps.db, job),
    async write(object, body, signal) {
      const upload = await begin(deps, job, object, limits)
      try {
        await deps.hotTier.store(upload.uploadKey, { mimeType: object.mimeType, body }, signal)
        const storedBytes = await deps.hotTier.head(upload.uploadKey, { sizeBytes: object.sizeBytes, signal })
        if (storedBytes !== object.sizeBytes)
          throw new Error(`The store has ${storedBytes} of ${object.sizeBytes} bytes of an export`)
      } catch (error) {
        await giveUp(deps, upload)
        throw error
      }
      return {
        async keep(trx) {
          if (!(await confirmCopy(trx, deps, upload))) throw new Error(`${object.name} could not be confirmed`)
        },
        drop: () => giveUp(deps, upload),
      }
    },
    [Symbol.dispose]: () => undefined,
  }
}

async function begin(
  deps: JobDeps,
  job: AccountJobRow,
  { name, mimeType, sizeBytes }: NewObject,
  { quotaBytes, openUploadsMax }: Limits,
): Promise<FileRow> {
  const { toVaultId } = job
  if (toVaultId === null) throw new Error('The export has no vault')
  const object = { name, mimeType, sizeBytes, encryption: null, isOfExport: true }
  const upload = await beginFile(deps, job, { ...object, vaultId: toVaultId, quotaBytes, openUploadsMax })
  if (upload !== null) return upload
  throw new JobEnd('quota_exceeded', 'The export exceeds the quota of the account')
}
