import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { holdsBytesIn, isComplete } from '../state/file-copies.ts'
import { isTurnFree, type Turn, takeTurn } from '../state/serialize.ts'
import type { FilesDb } from '../state/tables.ts'
import { type ReconcileDeps, reconcileFile, type Wanted } from './reconcile.ts'

const BATCH = 1000
const BATCHES_PER_RUN = 50
const TURN = 'walk files'
const TURN_SECONDS = 60
/** The first repeat of a walk after a new configuration. Each further one comes after twice the time. */
const AGAIN_SECONDS = 60
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export interface WalkDeps extends ReconcileDeps {
  copyWalkSeconds: number
}

/**
 * Periodic task: reconciles all confirmed files whose copies differ from the configuration. It runs once a day and
 * after a change of the configuration, then again a few times, because processes with the old configuration may still
 * be running. One process at a time continues where the last one stopped.
 */
export async function sweepFiles(deps: WalkDeps, signal: AbortSignal): Promise<boolean> {
  const configuration = configurationOf(deps.networks)
  // Checked first, because each process checks often and acquiring the lock writes.
  if (!(await isWalkDue(deps, configuration))) return false
  const turn = await takeTurn(deps.db, TURN, TURN_SECONDS)
  if (turn === null) return false
  try {
    return await walkOn(deps, turn, configuration, signal)
  } finally {
    await turn.end()
  }
}

async function walkOn(deps: WalkDeps, turn: Turn, configuration: string, signal: AbortSignal): Promise<boolean> {
  let after = await beginWalk(deps, configuration)
  for (let batch = 0; after !== null && batch < BATCHES_PER_RUN && !signal.aborted; batch += 1) {
    const { ids, last } = await findUnreconciled(deps.db, deps.networks, after)
    for (const id of ids) {
      if (signal.aborted) return false
      await reconcileFile(deps, id)
    }
    await failpoint('walk.between')
    after = (await turn.renew()) && (await noteProgress(deps.db, turn, last)) ? last : null
  }
  return after !== null
}

/** Two configurations during a rollout walk one after the other, each by its own rules. */
function configurationOf({ required, leaving }: Wanted): string {
  return `${required.toSorted().join()};${leaving.toSorted().join()}`
}

const isOther = (configuration: string) => sql`configuration <> ${configuration}`

const isDue = ({ copyWalkSeconds }: WalkDeps, configuration: string) => sql`
  (case when ${isOther(configuration)} then after is null or walked_at <= now() - make_interval(secs => ${TURN_SECONDS})
    else after is not null or begun_at <= now() - least(
      make_interval(secs => ${copyWalkSeconds}),
      greatest(make_interval(secs => ${AGAIN_SECONDS}), greatest(begun_at, since) - since)) end)`

async function isWalkDue(deps: WalkDeps, configuration: string): Promise<boolean> {
  const { rows } = await sql`
    select from copy_walk where ${isDue(deps, configuration)} and ${isTurnFree(TURN)}`.execute(deps.db)
  return rows.length > 0
}

/** The file after which the walk continues; null when another process has finished it. */
async function beginWalk(deps: WalkDeps, configuration: string): Promise<string | null> {
  const begins = sql`(${isOther(configuration)} or after is null)`
  const { rows } = await sql<{ after: string }>`
    update copy_walk set configuration = ${configuration}, walked_at = now(),
      after = case when ${begins} then ${NIL_UUID}::uuid else after end,
      begun_at = case when ${begins} then now() else begun_at end,
      since = case when ${isOther(configuration)} then now() else since end
    where ${isDue(deps, configuration)} returning after`.execute(deps.db)
  return rows[0]?.after ?? null
}

/** False: another process has the walk. */
async function noteProgress(db: Kysely<FilesDb>, { isOurs }: Turn, last: string | null): Promise<boolean> {
  const { rows } = await sql`
    update copy_walk set after = ${last}::uuid, walked_at = now() where ${isOurs} returning 1`.execute(db)
  return rows.length > 0
}

/** The files of a batch that `reconcile` would change, by ID. `last` is null after the last file. */
async function findUnreconciled(db: Kysely<FilesDb>, wanted: Wanted, after: string) {
  const { rows } = await sql<{ id: string; isDue: boolean }>`
    select id, (${isUnreconciled(wanted)}) as is_due from (
      select * from file where id > ${after}::uuid and status <> 'uploading' and purging_at is null
      order by id limit ${BATCH}
    ) as file order by id`.execute(db)
  const ids = rows.flatMap(({ id, isDue }) => (isDue ? [id] : []))
  return { ids, last: rows.length === BATCH ? (rows.at(-1)?.id ?? null) : null }
}

/** `reconcile` in SQL. May be true for a file that needs nothing, and is never false for one that needs a change. */
function isUnreconciled({ required, leaving }: Wanted): RawBuilder<unknown> {
  const copies = (condition: RawBuilder<unknown>) => sql`select from copy where copy.file_id = file.id and ${condition}`
  const isMissing = sql`exists (select from unnest(${required}::text[]) as wanted (network)
    where not exists (${copies(sql`copy.network = wanted.network and copy.state <> 'dropped'`)}))`
  const isLeft = sql`exists (${copies(sql`copy.network = any(${leaving}::text[]) and copy.state in ('planned', 'stored', 'proved', 'failed')`)})`
  const isLost = sql`hot_key is null and status <> 'error' and not exists (${copies(holdsBytesIn)})`
  const isEvictable = sql`status in ('synced', 'cold') and hot_key is not null and hot_until <= now()
    and (evict_due_at is null or evict_due_at > now()) and (evicting_at is null or evict_attempt > 0) and ${isComplete(required)}`
  return sql`${isMissing} or ${isLeft} or ${isLost} or ${isEvictable}`
}
