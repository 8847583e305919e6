import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { checkCopies } from '../copies/check-copies.ts'
import { dropCopies } from '../copies/drop-copies.ts'
import { sweepFiles } from '../copies/reconcile-sweep.ts'
import { renewLeases } from '../copies/renew-leases.ts'
import { deleteExpiredRows } from '../removal/delete-expired-rows.ts'
import { emptyTrash, purgeVaults } from '../removal/empty-trash.ts'
import { expireFiles } from '../removal/expire-files.ts'
import { purgeFiles } from '../removal/purge-file.ts'
import { indexNames } from '../state/index-names.ts'
import { foldUsage, recordUsage } from '../state/usage-days.ts'
import { cleanUpUploads, expireUploads } from '../upload/clean-up-uploads.ts'
import { confirmUploads, finishConfirms } from '../upload/confirm-later.ts'

/** Returns whether there may be more to do. */
export type Run = (stopping: AbortSignal) => Promise<boolean>

export interface Task {
  name: string
  run: Run
  isRare?: boolean
  /** Its limit is per process. */
  inEveryProcess?: boolean
}

type DepsOf<Task extends (deps: never, ...more: never[]) => unknown> = Parameters<Task>[0]
type Deps = DepsOf<typeof checkCopies> &
  DepsOf<typeof dropCopies> &
  DepsOf<typeof renewLeases> &
  DepsOf<typeof sweepFiles> &
  DepsOf<typeof finishConfirms> &
  DepsOf<typeof expireUploads> &
  DepsOf<typeof expireFiles> &
  DepsOf<typeof deleteExpiredRows> &
  DepsOf<typeof purgeFiles> & { circuitOf(network: StorageNetwork): DepsOf<typeof checkCopies>['circuit'] }

export function tasksOfFiles(deps: Deps): Task[] {
  const task = (name: string, run: (given: Deps, stopping: AbortSignal) => Promise<boolean>): Task => ({
    name,
    run: (stopping) => run(deps, stopping),
  })
  return [
    ...deps.networks.all().flatMap((network): Task[] => {
      const own = { ...deps, circuit: deps.circuitOf(network) }
      const { name } = network
      return [
        {
          name: `check copies on ${name}`,
          run: (stopping) => checkCopies(own, network, stopping),
          inEveryProcess: true,
        },
        { name: `drop copies on ${name}`, run: (stopping) => dropCopies(own, network, stopping) },
        { name: `renew leases on ${name}`, run: (stopping) => renewLeases(own, network, stopping) },
      ]
    }),
    task('compare files with the networks', sweepFiles),
    task('finish confirms', finishConfirms),
    task('confirm uploads', confirmUploads),
    task('expire uploads', expireUploads),
    task('expire files', expireFiles),
    task('empty the trash', emptyTrash),
    task('purge vaults', purgeVaults),
    task('purge files', purgeFiles),
    task('clean up uploads', cleanUpUploads),
    task('index names', indexNames),
    task('fold usage', foldUsage),
    task('record usage by day', recordUsage),
    { ...task('delete expired rows', deleteExpiredRows), isRare: true },
  ]
}
