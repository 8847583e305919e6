import type { JobKind } from '@tideport/contracts/public/jobs'
import type { KindOfJob } from './advance-job.ts'
import { copyKind } from './kinds/copy.ts'
import { deleteKind } from './kinds/delete.ts'
import { exportKind } from './kinds/export.ts'
import { moveKind } from './kinds/move.ts'
import { publishKind } from './kinds/publish.ts'
import { restoreKind } from './kinds/restore.ts'
import { trashKind } from './kinds/trash.ts'

/** Every kind of job. */
export const jobKinds: Record<JobKind, KindOfJob> = {
  move: moveKind,
  copy: copyKind,
  trash: trashKind,
  restore: restoreKind,
  delete: deleteKind,
  publish: publishKind,
  export: exportKind,
}

/** The kinds of jobs that are quick, or those that are not. */
export function kindsThat({ areQuick }: { areQuick: boolean }): JobKind[] {
  const all = Object.entries(jobKinds) as [JobKind, KindOfJob][]
  return all.filter(([, { isQuick }]) => isQuick === areQuick).map(([kind]) => kind)
}
