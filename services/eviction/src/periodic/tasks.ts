import type { KindsOfJobs } from '@tideport/bulk-jobs/jobs/advance-job'
import { runKind } from '@tideport/contracts/public/operator-runs'
import type { ExportDeps } from '@tideport/export/bucket/export-buckets'
import { leaveBuckets } from '@tideport/export/bucket/leave-buckets'
import { checkCopies } from '@tideport/file-lifecycle/copies/check-copies'
import { dropCopies } from '@tideport/file-lifecycle/copies/drop-copies'
import { renewLeases } from '@tideport/file-lifecycle/copies/renew-leases'
import { walkFiles } from '@tideport/file-lifecycle/copies/walk-files'
import type { Worker } from '@tideport/file-lifecycle/process/open-worker'
import { emptyTrash, purgeVaults } from '@tideport/file-lifecycle/removal/empty-trash'
import { expireFiles } from '@tideport/file-lifecycle/removal/expire-files'
import { forgetOld } from '@tideport/file-lifecycle/removal/forget-old'
import { purgeFiles } from '@tideport/file-lifecycle/removal/purge-files'
import { foldUsage } from '@tideport/file-lifecycle/state/fold-usage'
import { indexNames } from '@tideport/file-lifecycle/state/index-names'
import { recordUsage } from '@tideport/file-lifecycle/state/record-usage'
import { cleanUpUploads } from '@tideport/file-lifecycle/upload/clean-up-uploads'
import { confirmUploads, finishConfirms } from '@tideport/file-lifecycle/upload/confirm-later'
import { expireUploads } from '@tideport/file-lifecycle/upload/expire-uploads'
import { carryOnRun } from '@tideport/repair/runs/carry-on-run'
import type { EvictionConfig } from '../config.ts'

export type Parts = EvictionConfig & Worker & ExportDeps & { kinds: KindsOfJobs }

/** One run of a periodic task. Whether there may be more to do. */
export type Run = (stopping: AbortSignal) => Promise<boolean>

export interface Task {
  name: string
  run: Run
  /** It is old work, which can wait for a minute. */
  isRare?: boolean
  /** Its limit is one for each process, so all processes run it. */
  inEveryProcess?: boolean
}

/** Every periodic task, but the jobs of accounts (`start-tasks.ts`). */
export function periodicTasks(parts: Parts): Task[] {
  const task = (name: string, run: (deps: Parts, stopping: AbortSignal) => Promise<boolean>): Task => ({
    name,
    run: (stopping) => run(parts, stopping),
  })
  return [
    ...parts.networks.all().flatMap((network): Task[] => {
      const own = { ...parts, circuit: parts.circuitOf(network) }
      return [
        {
          name: `check copies on ${network.name}`,
          run: (stopping) => checkCopies(own, network, stopping),
          inEveryProcess: true,
        },
        { name: `drop copies on ${network.name}`, run: (stopping) => dropCopies(own, network, stopping) },
        { name: `renew leases on ${network.name}`, run: (stopping) => renewLeases(own, network, stopping) },
      ]
    }),
    task('compare files with the networks', walkFiles),
    task('finish confirms', finishConfirms),
    task('confirm uploads', confirmUploads),
    task('expire uploads', expireUploads),
    task('expire files', expireFiles),
    task('empty the trash', emptyTrash),
    task('purge vaults', purgeVaults),
    task('purge files', purgeFiles),
    task('clean up uploads', cleanUpUploads),
    task('leave buckets', leaveBuckets),
    ...runKind.options.map((kind) =>
      task(`carry on a ${kind} of operators`, (deps, stopping) => carryOnRun(deps, kind, stopping)),
    ),
    task('index names', indexNames),
    task('fold usage', foldUsage),
    task('record usage by day', recordUsage),
    { ...task('forget what is old', forgetOld), isRare: true },
  ]
}
