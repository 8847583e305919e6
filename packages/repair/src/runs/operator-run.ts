import type { RunKind } from '@tideport/contracts/public/operator-runs'
import { CLAIM_SECONDS } from '@tideport/file-lifecycle/state/state'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

export interface RunRequest {
  /** A dry run changes nothing and reads no copy. */
  dryRun: boolean
  /** For reconcile: only files after this ID. */
  after?: string | undefined
  /** For verify: the number of random files. Unset: all. */
  sample?: number | undefined
  /** For verify: the network. Unset: all. */
  network?: string | undefined
}

export interface OperatorRun {
  id: string
  kind: RunKind
  request: RunRequest
  place: string | null
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  counts: Record<string, number>
  findings: Record<string, string>[]
  error: string | null
  attempt: number
  dueAt: Date | null
  fencingToken: number
  accountId: string
  subject: string | null
  createdAt: Date
  startedAt: Date | null
  updatedAt: Date
  finishedAt: Date | null
}

export const claimedAgain = sql`claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})`

export const over = (state: OperatorRun['state'], error: string | null = null) => sql`
  state = ${state}, error = ${error}, due_at = null, claimed_until = null, finished_at = now(), updated_at = now()`

/** Null: an unfinished run of this kind exists. */
export async function createRun(
  db: Kysely<FilesDb>,
  run: Pick<OperatorRun, 'id' | 'kind' | 'request' | 'accountId' | 'subject'>,
): Promise<OperatorRun | null> {
  const { id, kind, request, accountId, subject } = run
  const { rows } = await sql<OperatorRun>`
    insert into operator_run (id, kind, request, account_id, subject)
    values (${id}, ${kind}, ${JSON.stringify(request)}::jsonb, ${accountId}, ${subject})
    on conflict (kind) where due_at is not null do nothing returning *`.execute(db)
  return rows[0] ?? null
}

export async function claimRun(db: Kysely<FilesDb>, kind: RunKind): Promise<OperatorRun | null> {
  const { rows } = await sql<OperatorRun>`
    update operator_run set ${claimedAgain}, fencing_token = fencing_token + 1, state = 'running',
      started_at = coalesce(started_at, now())
    where kind = ${kind} and due_at <= now() and (claimed_until is null or claimed_until <= now())
    returning *`.execute(db)
  return rows[0] ?? null
}

/** Null: the claim was lost, or the run is finished. */
export async function writeRun(
  db: Kysely<FilesDb>,
  { id, fencingToken }: Pick<OperatorRun, 'id' | 'fencingToken'>,
  set: RawBuilder<unknown>,
): Promise<OperatorRun | null> {
  const { rows } = await sql<OperatorRun>`
    update operator_run set ${set} where id = ${id} and fencing_token = ${fencingToken} and due_at is not null
    returning *`.execute(db)
  return rows[0] ?? null
}

export async function findRun(db: Kysely<FilesDb>, id: string): Promise<OperatorRun | null> {
  const { rows } = await sql<OperatorRun>`select * from operator_run where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Cancels a run; its process notices within seconds. Null: not found, or finished. */
export async function cancelRun(db: Kysely<FilesDb>, id: string): Promise<OperatorRun | null> {
  const { rows } = await sql<OperatorRun>`
    update operator_run set ${over('cancelled')}, fencing_token = fencing_token + 1
    where id = ${id} and due_at is not null returning *`.execute(db)
  return rows[0] ?? null
}
