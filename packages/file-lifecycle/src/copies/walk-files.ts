import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { holdsBytesIn, isComplete } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'
import { isTurnFree, type Turn, takeTurn } from '../state/turn.ts'
import { type ReconcileDeps, reconcileFile, type Wanted } from './reconcile.ts'

/** Files that one statement looks at. */
const BATCH = 1000
const BATCHES_PER_RUN = 50
const TURN = 'walk files'
const TURN_SECONDS = 60
/**
 * How soon a walk follows the first one by a new configuration. Each further one comes when twice as much time has
 * passed.
 */
const AGAIN_SECONDS = 60
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export interface WalkDeps extends ReconcileDeps {
  /** How often all files are looked at. */
  copyWalkSeconds: number
}

/**
 * One run of the periodic task that goes over all confirmed files and reconciles those whose copies are not as the
 * configuration wants them: once a day, at once when the configuration is another one, and a few times soon after that:
 * processes of the configuration before may still be at work behind a walk that has passed. One process at a time,
 * going on where the last one stopped. A file that is as it should be is read and nothing more. Whether there is more.
 */
export async function walkFiles(deps: WalkDeps, signal: AbortSignal): Promise<boolean> {
  const configuration = configurationOf(deps.networks)
  // To take the turn writes, and each process asks often.
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

/** Two configurations, such as while one replaces the other, walk in turn, each to the end; each decides by its own. */
function configurationOf({ required, leaving }: Wanted): string {
  return `${required.toSorted().join()};${leaving.toSorted().join()}`
}

const isOther = (configuration: string) => sql`configuration <> ${configuration}`

/** Of `copy_walk`: one is under way, or it is time for the next. */
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

/** Behind which file the walk goes on; null when another process has ended it since. */
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

/** Whether the walk is still ours. */
async function noteProgress(db: Kysely<FilesDb>, { isOurs }: Turn, last: string | null): Promise<boolean> {
  const { rows } = await sql`
    update copy_walk set after = ${last}::uuid, walked_at = now() where ${isOurs} returning 1`.execute(db)
  return rows.length > 0
}

/** Those of a batch in the order of ids that `reconcile` would change; `last` is null behind the last file. */
async function findUnreconciled(db: Kysely<FilesDb>, wanted: Wanted, after: string) {
  const { rows } = await sql<{ id: string; isDue: boolean }>`
    select id, (${isUnreconciled(wanted)}) as is_due from (
      select * from file where id > ${after}::uuid and status <> 'uploading' and purging_at is null
      order by id limit ${BATCH}
    ) as file order by id`.execute(db)
  const ids = rows.flatMap(({ id, isDue }) => (isDue ? [id] : []))
  return { ids, last: rows.length === BATCH ? (rows.at(-1)?.id ?? null) : null }
}

/** The rule of `reconcile`, in SQL: it may be true for a file that needs nothing, never false for one that does. */
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
