import type { KindsOfJobs } from '@tideport/bulk-jobs/jobs/advance-job'
import { copyKind } from '@tideport/bulk-jobs/kinds/copy'
import { deleteKind } from '@tideport/bulk-jobs/kinds/delete'
import { moveKind } from '@tideport/bulk-jobs/kinds/move'
import { publishKind } from '@tideport/bulk-jobs/kinds/publish'
import { restoreKind } from '@tideport/bulk-jobs/kinds/restore'
import { trashKind } from '@tideport/bulk-jobs/kinds/trash'
import type { ExportBuckets } from '../bucket/export-buckets.ts'
import { exportKind } from './export-kind.ts'

/** `buckets`: null in a process without exports to buckets. */
export function jobKinds(buckets: ExportBuckets | null): KindsOfJobs {
  return {
    ...{ move: moveKind, copy: copyKind, trash: trashKind, restore: restoreKind, delete: deleteKind },
    ...{ publish: publishKind, export: exportKind(buckets) },
  }
}
