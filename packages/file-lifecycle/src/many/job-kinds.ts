import type { JobKind } from '@tideport/contracts/public/jobs'
import type { KindOfJob } from './advance-job.ts'
import { deleteKind } from './kinds/delete.ts'
import { moveKind } from './kinds/move.ts'
import { restoreKind } from './kinds/restore.ts'
import { trashKind } from './kinds/trash.ts'

/** Every kind of job. */
export const jobKinds: Record<JobKind, KindOfJob> = {
  move: moveKind,
  trash: trashKind,
  restore: restoreKind,
  delete: deleteKind,
}
