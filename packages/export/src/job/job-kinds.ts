import type { KindsOfJobs } from '@tideport/bulk-jobs/jobs/job-kind'
import { copyKind } from '@tideport/bulk-jobs/kinds/copy'
import { deleteKind, moveKind, publishKind, restoreKind, trashKind } from '@tideport/bulk-jobs/kinds/range-kinds'
import type { ExportBuckets } from '../bucket/export-buckets.ts'
import { exportKind } from './export-account.ts'

/** `buckets` is null in a process that does not export to buckets. */
export function jobKinds(buckets: ExportBuckets | null): KindsOfJobs {
  return {
    ...{ move: moveKind, copy: copyKind, trash: trashKind, restore: restoreKind, delete: deleteKind },
    ...{ publish: publishKind, export: exportKind(buckets) },
  }
}
