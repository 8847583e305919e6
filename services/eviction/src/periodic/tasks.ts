import type { KindsOfJobs } from '@tideport/bulk-jobs/jobs/advance-job'
import { runKind } from '@tideport/contracts/public/operator-runs'
import type { ExportDeps } from '@tideport/export/bucket/export-buckets'
import { leaveBuckets } from '@tideport/export/bucket/leave-buckets'
import type { Worker } from '@tideport/file-lifecycle/process/open-context'
import { type Task, tasksOfFiles } from '@tideport/file-lifecycle/process/periodic-tasks'
import { carryOnRun } from '@tideport/repair/runs/carry-on-run'
import type { EvictionConfig } from '../config.ts'

export type Parts = EvictionConfig & Worker & ExportDeps & { kinds: KindsOfJobs }

export function periodicTasks(parts: Parts): Task[] {
  return [
    ...tasksOfFiles(parts),
    { name: 'leave buckets', run: (stopping) => leaveBuckets(parts, stopping) },
    ...runKind.options.map((kind) => ({
      name: `carry on a ${kind} of operators`,
      run: (stopping: AbortSignal) => carryOnRun(parts, kind, stopping),
    })),
  ]
}
