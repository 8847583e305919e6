import { streams } from '@tideport/contracts/internal/streams'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { claimWhere, underClaim } from '../work/claim.ts'

export interface PurgeDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  network: StorageNetwork
  /** How long an event may be sent again; unset: as long as a new stream keeps it. */
  eventsMaxAgeSeconds?: number | undefined
}

/** What the next pass of a purge waits for. */
export const isPurgeDue = sql`purging_at is not null and purge_due_at <= now()`

/** Makes a pass for a file when that is due and nobody else is at it. */
export async function purgeFile(
  deps: PurgeDeps,
  fileId: string,
  stopping: AbortSignal,
): Promise<'gone' | 'settling' | 'not_due'> {
  const file = await claimWhere(deps.db, fileId, isPurgeDue)
  return file ? await passOver(deps, file, stopping) : 'not_due'
}

/**
 * One pass over what a claimed file that is being purged has outside: the first at once, the last when nothing that was
 * under way can come back any more (`settle_at`); then the row goes. A pass that fails is repeated, for as long as it takes.
 */
export async function passOver(deps: PurgeDeps, file: FileRow, stopping: AbortSignal): Promise<'gone' | 'settling'> {
  const { db } = deps
  const isLastPass = await hasSettled(db, file)
  await underClaim(db, file, stopping, (signal) => removeOutside(deps, file, signal))
  if (isLastPass) await removeRow(deps, file)
  else await awaitSettling(db, file)
  return isLastPass ? 'gone' : 'settling'
}

/** By names that the row holds, never by what a listing shows. */
async function removeOutside({ hotTier, network }: PurgeDeps, file: FileRow, signal: AbortSignal): Promise<void> {
  await failpoint('purge.before-outside')
  for (const key of new Set([file.uploadKey, file.hotKey, file.rehydrateKey])) {
    if (key === null) continue
    signal.throwIfAborted()
    await hotTier.abortUploads(key)
    await hotTier.remove(key, signal)
  }
  await removeReference(network, file, signal)
  await failpoint('purge.after-outside')
}

/** Without a blob id there is none: it is in the row before anything is committed under it. */
async function removeReference(network: StorageNetwork, file: FileRow, signal: AbortSignal): Promise<void> {
  if (file.blobId === null) return
  if (file.network !== null && file.network !== network.id) {
    throw new Error(`The copy of file ${file.id} is on the network ${file.network}, which is not the configured one`)
  }
  await network.remove(file.id, file.blobId, signal)
}

/** Judged before the pass: only one that began after `settle_at` is the last. */
async function hasSettled(db: Kysely<FilesDb>, file: FileRow): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    select settle_at <= now() as settled from file where id = ${file.id}`.execute(db)
  return rows[0]?.settled === true
}

async function awaitSettling(db: Kysely<FilesDb>, file: FileRow): Promise<void> {
  await sql`
    update file set claimed_until = null, purge_due_at = settle_at, clock_failures = 0
    where id = ${file.id} and claims = ${file.claims}`.execute(db)
}

/** The timeline goes with the file, but for events that a broker could still lose or has not got yet. */
async function removeRow({ db, eventsMaxAgeSeconds }: PurgeDeps, file: FileRow): Promise<void> {
  const eventLife = sql`make_interval(secs => ${eventsMaxAgeSeconds ?? streams.events.maxAgeSeconds})`
  const isNeeded = sql`type like 'file.%' and (published_at is null or at > now() - ${eventLife})`
  await sql`
    with gone as (
      delete from file where id = ${file.id} and claims = ${file.claims} and purging_at is not null returning id
    ), kept as (
      update file_event set expires_at = at + ${eventLife}
      where file_id in (select id from gone) and ${isNeeded}
    )
    delete from file_event where file_id in (select id from gone) and not (${isNeeded})`.execute(db)
}

/** Removes a batch of what `removeRow` had to leave, once the broker has it and its time is over. Answers how many. */
export async function forgetEvents(db: Kysely<FilesDb>, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from file_event where id in (
      select id from file_event where expires_at <= now() and published_at is not null
      limit ${limit} for update skip locked)
    returning id`.execute(db)
  return rows.length
}
