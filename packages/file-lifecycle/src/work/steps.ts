import { type Message, subjectOf } from '@tideport/contracts/internal/message'
import { evictJob, proveJob, rehydrateJob, storeJob } from '@tideport/contracts/internal/messages'
import { type RawBuilder, sql } from 'kysely'
import { isLive } from '../state/queries.ts'

export type FileStep = 'evict' | 'rehydrate'
export type CopyStep = 'store' | 'prove'
export type StepName = FileStep | CopyStep

interface StepOf<Row extends 'file' | 'copy'> {
  /** The row that is due, is claimed, and counts the attempts. */
  row: Row
  /** The message of its job. For copies, each network has its own queue. */
  job: Message
  /** A condition on `file`, and on `copy` if `row` is `copy`, without the time. */
  isDue: RawBuilder<unknown>
  dueAt: RawBuilder<unknown>
  /** The column of `dueAt`, for assignments. */
  dueColumn: string
  /** Claims without an outcome before the step fails permanently. Null: retried without a limit. */
  unfinishedClaimsMax: number | null
}

const UNFINISHED_CLAIMS_MAX = 20

const due = (row: 'file' | 'copy', dueColumn: string) => ({ dueColumn, dueAt: sql.ref(`${row}.${dueColumn}`) })

/** The steps that run as jobs. Checks and removals of copies, and all other periodic tasks, claim rows themselves. */
export const steps: { [S in FileStep]: StepOf<'file'> } & { [S in CopyStep]: StepOf<'copy'> } = {
  store: {
    row: 'copy',
    job: storeJob,
    // In the trash, only lost copies are stored.
    isDue: sql`copy.state = 'planned' and file.purging_at is null and (copy.lost_at is not null or ${isLive})`,
    ...due('copy', 'due_at'),
    unfinishedClaimsMax: UNFINISHED_CLAIMS_MAX,
  },
  prove: {
    row: 'copy',
    job: proveJob,
    isDue: sql`copy.state = 'stored' and file.purging_at is null`,
    ...due('copy', 'due_at'),
    unfinishedClaimsMax: null,
  },
  evict: {
    row: 'file',
    job: evictJob,
    isDue: sql`file.status in ('synced', 'cold') and ${isLive}`,
    ...due('file', 'evict_due_at'),
    unfinishedClaimsMax: null,
  },
  rehydrate: {
    row: 'file',
    job: rehydrateJob,
    isDue: sql`file.status = 'cold' and file.evicting_at is null and ${isLive}`,
    ...due('file', 'rehydrate_due_at'),
    unfinishedClaimsMax: UNFINISHED_CLAIMS_MAX,
  },
}

/** The rows of a queue: all files, or the copies on one network. */
export type Queue = { step: FileStep; network?: undefined } | { step: CopyStep; network: string }

export function jobSubject({ step, network }: Queue, fileId: string): string {
  return subjectOf(steps[step].job, network === undefined ? fileId : `${network}.${fileId}`)
}
