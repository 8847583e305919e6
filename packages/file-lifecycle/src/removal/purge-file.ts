import { streams } from '@tideport/contracts/internal/streams'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { letGo } from '../copies/drop-copies.ts'
import type { Networks } from '../copies/networks.ts'
import { isNamed, readCopies } from '../state/file-copies.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import { claimOn, claimWhere, fileRows } from '../work/claim.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'

export interface PurgeDeps extends EventLife {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Pick<Networks, 'get'>
  log: Log
}

export const isPurgeDue = sql`purging_at is not null and purge_due_at <= now()`

/** Runs a pass when one is due and no other process runs it. */
export async function purgeFile(
  deps: PurgeDeps,
  fileId: string,
  stopping: AbortSignal,
): Promise<'gone' | 'settling' | 'not_due'> {
  const file = await claimWhere(deps.db, fileId, isPurgeDue)
  return file ? await passOver(deps, file, stopping) : 'not_due'
}

/**
 * Removes everything that a claimed file has outside Postgres. The first pass runs immediately, the last one after
 * `cleanup_after`, when nothing can be created again, and deletes the row. A failed pass is repeated.
 */
export async function passOver(deps: PurgeDeps, file: FileRow, stopping: AbortSignal): Promise<'gone' | 'settling'> {
  const { db } = deps
  const isLastPass = await hasSettled(db, file)
  await claimOn(db, file).run(stopping, (signal) => removeOutside(deps, file, signal))
  if (isLastPass) await removeRow(deps, file)
  else await awaitSettling(db, file)
  return isLastPass ? 'gone' : 'settling'
}

/** Uses the names in the row, never a listing. */
async function removeOutside(deps: PurgeDeps, file: FileRow, signal: AbortSignal): Promise<void> {
  const { db, hotTier } = deps
  await failpoint('purge.before-outside')
  for (const key of new Set([file.uploadKey, file.hotKey, file.rehydrateKey])) {
    if (key === null) continue
    signal.throwIfAborted()
    await hotTier.abortUploads(key)
    await hotTier.remove(key, signal)
  }
  const copies = await readCopies(db, file.id)
  // A network that is unavailable does not block the others.
  const removals = await Promise.allSettled(copies.map((copy) => removeCopy(deps, copy, signal)))
  for (const removal of removals) if (removal.status === 'rejected') throw removal.reason
  await failpoint('purge.after-outside')
}

/** Without a blob ID nothing was committed. Throws for a copy on a network that is not configured, so the row stays. */
async function removeCopy(deps: PurgeDeps, copy: CopyRow, signal: AbortSignal): Promise<void> {
  if (!isNamed(copy) || copy.state === 'dropped') return
  const network = deps.networks.get(copy.network)
  if (network === undefined) {
    throw new Error(`A copy of file ${copy.fileId} is on the network ${copy.network}, which is not configured`)
  }
  signal.throwIfAborted()
  await letGo(network, copy, deps, signal)
}

/** Read before the pass: only a pass that began after `cleanup_after` is the last. */
async function hasSettled(db: Kysely<FilesDb>, file: FileRow): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    select cleanup_after <= now() as settled from file where id = ${file.id}`.execute(db)
  return rows[0]?.settled === true
}

async function awaitSettling(db: Kysely<FilesDb>, file: FileRow): Promise<void> {
  await sql`
    update file set claimed_until = null, purge_due_at = cleanup_after, task_failures = 0
    where id = ${file.id} and fencing_token = ${file.fencingToken}`.execute(db)
}

/**
 * Deletes the row and its timeline. Events for the account's log, and those that a broker may still need, stay for
 * their time.
 */
async function removeRow({ db, ...settings }: PurgeDeps, file: FileRow): Promise<void> {
  const life = eventLife(settings)
  const isNews = sql`is_public and (published_at is null or at > now() - ${newsLife(settings)})`
  const isKept = sql`${isNews} or (actor is not null and at > now() - ${life})`
  await sql`
    with gone as (
      delete from file where id = ${file.id} and fencing_token = ${file.fencingToken} and purging_at is not null
      returning id, account_id
    ), kept as (
      update event set expires_at = at + ${life}
      where subject_id in (select id from gone) and account_id in (select account_id from gone) and (${isKept})
    )
    delete from event
    where subject_id in (select id from gone) and account_id in (select account_id from gone) and not (${isKept})`.execute(
    db,
  )
}

/** Deletes a batch of events that `removeRow` left. Returns how many. */
export async function forgetEvents(db: Kysely<FilesDb>): Promise<number> {
  return await forgetRows(
    db,
    'event',
    sql`expires_at <= now() and (not is_public or published_at is not null or failed_at is not null)`,
  )
}

export async function purgeFiles(deps: PurgeDeps & DueRowsDeps, signal: AbortSignal): Promise<boolean> {
  return await processDueRows(deps, signal, {
    rows: fileRows,
    name: 'purge files',
    due: { where: isPurgeDue, by: sql`purge_due_at` },
    putOff: (until) => sql`claimed_until = null, purge_due_at = ${until}`,
    async visit(file) {
      const outcome = await passOver(deps, file, signal)
      deps.log.info({ fileId: file.id, outcome }, 'purge continued')
    },
  })
}

export interface EventLife {
  /** How long an event may be sent again; unset: the age limit of a new stream. */
  eventsMaxAgeSeconds?: number | undefined
  /** How long the log of an account keeps events of deleted subjects; unset: a year. */
  auditRetentionSeconds?: number | undefined
}

const YEAR_SECONDS = 365 * 86_400

function newsLife({ eventsMaxAgeSeconds = streams.events.maxAgeSeconds }: EventLife): RawBuilder<unknown> {
  return sql`make_interval(secs => ${eventsMaxAgeSeconds})`
}

/** How long a row of `event` outlives its subject, as an interval. */
export function eventLife(settings: EventLife): RawBuilder<unknown> {
  const { auditRetentionSeconds = YEAR_SECONDS } = settings
  const news = newsLife(settings)
  return sql`case when actor is null then ${news}
    else greatest(${news}, make_interval(secs => ${auditRetentionSeconds})) end`
}
