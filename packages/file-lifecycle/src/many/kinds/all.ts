import type { KindsOfJobs } from '../advance-job.ts'
import type { ExportBuckets } from '../bucket/export-buckets.ts'
import { copyKind } from './copy.ts'
import { deleteKind } from './delete.ts'
import { exportKind } from './export.ts'
import { moveKind } from './move.ts'
import { publishKind } from './publish.ts'
import { restoreKind } from './restore.ts'
import { trashKind } from './trash.ts'

/** Every kind of job. `buckets` is null in a process that exports nothing into buckets. */
export function jobKinds(buckets: ExportBuckets | null): KindsOfJobs {
  return {
    ...{ move: moveKind, copy: copyKind, trash: trashKind, restore: restoreKind, delete: deleteKind },
    ...{ publish: publishKind, export: exportKind(buckets) },
  }
}
