import { type Cause, causedBy, currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { appendEvents, vaultPayload } from '../state/append-event.ts'
import type { EventRow, FilesDb, VaultRow } from '../state/tables.ts'
import { freeSlug, takenSlugs } from '../state/vault-slug.ts'
import { beginPurge, type PurgedBatch, purgeFilesOfVault, type Settle } from './purge.ts'
import { type EventLife, eventLife } from './purge-file.ts'

export interface OwnVault {
  accountId: string
  vaultId: string
}

/**
 * Moves a vault with all files to the trash, with one event. Not the default vault, and without `force` only one without
 * files and uploads. Null: not possible.
 */
export async function trashVault(
  db: Kysely<FilesDb>,
  { accountId, vaultId }: OwnVault,
  { force, retentionSeconds, where = sql`true` }: Trashing,
): Promise<VaultRow | null> {
  const { rows } = await sql<VaultRow>`
    with changed as (
      update vault set deleted_at = now(), purge_due_at = now() + make_interval(secs => ${retentionSeconds}),
        updated_at = now()
      where id = ${vaultId} and account_id = ${accountId} and deleted_at is null and not is_default
        and (${force} or file_count = 0) and ${where}
      returning *
    ), told as (${vaultEvent('vault.deleted')})
    select * from changed`.execute(db)
  return rows[0] ?? null
}

interface Trashing {
  force: boolean
  retentionSeconds: number
  where?: RawBuilder<unknown>
}

/**
 * Aborts the uploads of a vault without files and kept folders, and moves the vault to the trash. An upload that a confirm
 * works on is a file: otherwise its client could get a success for a file in the trash. Null: not possible; then the
 * caller has to roll back.
 */
export async function trashUnusedVault(
  trx: Transaction<FilesDb>,
  own: OwnVault,
  { retentionSeconds, ...settle }: Settle & { retentionSeconds: number },
): Promise<VaultRow | null> {
  const isOfVault = sql`vault_id = ${own.vaultId} and account_id = ${own.accountId}`
  await beginPurge(trx, sql`${isOfVault} and status = 'uploading' and completing_at is null`, settle)
  const where = sql`not exists (select from kept_folder where vault_id = vault.id)`
  return await trashVault(trx, own, { force: false, retentionSeconds, where })
}

/**
 * Restores a vault with the files that were trashed with it. A vault whose slug was taken meanwhile gets another one.
 * Null: not in the trash.
 */
export function restoreVault(db: Kysely<FilesDb>, { accountId, vaultId }: OwnVault): Promise<VaultRow | null> {
  return db.transaction().execute(async (trx) => {
    // Locked as for a new vault, so that the taken slugs do not change.
    await sql`select from account where id = ${accountId} for no key update`.execute(trx)
    const isTrashed = sql`id = ${vaultId} and account_id = ${accountId} and deleted_at is not null and purging_at is null`
    const { rows: trashed } = await sql<VaultRow>`select * from vault where ${isTrashed}`.execute(trx)
    if (trashed[0] === undefined) return null
    const slug = freeSlug(trashed[0].slug, await takenSlugs(trx, accountId))
    const { rows } = await sql<VaultRow>`
      with changed as (
        update vault set deleted_at = null, purge_due_at = null, slug = ${slug}, updated_at = now() where ${isTrashed}
        returning *
      ), told as (${vaultEvent('vault.restored')})
      select * from changed`.execute(trx)
    return rows[0] ?? null
  })
}

function vaultEvent(type: string, from = sql`changed`): RawBuilder<unknown> {
  return appendEvents({ kind: 'vault', type, payload: vaultPayload(type), from })
}

/** Begins the purge of all trashed vaults of an account. Returns how many. */
export async function purgeTrashedVaults(db: Kysely<FilesDb>, accountId: string): Promise<number> {
  const { rows } = await sql`
    with changed as (
      update vault set purging_at = now(), purge_due_at = now()
      where account_id = ${accountId} and deleted_at is not null and purging_at is null
      returning *
    ), told as (${vaultEvent('vault.purged')})
    select id from changed`.execute(db)
  return rows.length
}

const RECHECK_SECONDS = 60

/** Claims up to `limit` vaults whose time in the trash is over. */
export async function claimVaults(db: Kysely<FilesDb>, limit: number, settle: Settle): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with batch as materialized (
      select id as batch_id, purging_at is null as is_new from vault where deleted_at is not null and purge_due_at <= now()
      order by purge_due_at limit ${limit} for update skip locked
    ), claimed as (
      update vault set purging_at = coalesce(purging_at, now()), purge_due_at = ${recheck(settle)}
      from batch where vault.id = batch_id
      returning vault.*, is_new
    ), told as (${vaultEvent('vault.purged', sql`claimed where is_new`)})
    select id from claimed`.execute(db)
  return rows.map(({ id }) => id)
}

/** Begins the purge of a vault's files, and deletes its row, after the last of them. */
export async function purgeVault(
  db: Kysely<FilesDb>,
  vaultId: string,
  settle: Settle & EventLife,
  stopping: AbortSignal,
): Promise<'gone' | 'settling'> {
  const cause = await causeOfPurge(db, vaultId)
  let end: PurgedBatch['end'] = null
  do {
    stopping.throwIfAborted()
    ;({ end } = await causedBy(cause, () => purgeFilesOfVault(db, vaultId, settle, end)))
    // Keeps other processes away, however long it takes.
    await sql`update vault set purge_due_at = ${recheck(settle)} where id = ${vaultId}`.execute(db)
  } while (end !== null)
  return (await removeVault(db, vaultId, settle)) ? 'gone' : 'settling'
}

/** The events of the files name the caller who deleted the vault. */
async function causeOfPurge(db: Kysely<FilesDb>, vaultId: string): Promise<Cause> {
  const { rows } = await sql<Pick<EventRow, 'requestId' | 'traceparent' | 'actor' | 'clientAddress'>>`
    select request_id, traceparent, actor, client_address from event
    where subject_id = ${vaultId} and type in ('vault.deleted', 'vault.purged') and actor->>'method' <> 'system'
    order by at desc, id desc limit 1`.execute(db)
  const [row] = rows
  if (row === undefined || row.actor === null) return currentCause()
  const { requestId, traceparent, actor, clientAddress } = row
  return { requestId, traceparent, origin: { actor, clientAddress } }
}

function recheck({ settleSeconds }: Settle): RawBuilder<unknown> {
  return sql`now() + make_interval(secs => ${Math.min(RECHECK_SECONDS, settleSeconds)})`
}

/** Its events stay for the log of the account and for a broker that loses events. */
async function removeVault(db: Kysely<FilesDb>, vaultId: string, settings: EventLife): Promise<boolean> {
  const { rows } = await sql`
    with gone as (
      delete from vault where id = ${vaultId} and purging_at is not null
        and not exists (select from file where file.vault_id = vault.id)
      returning id, account_id
    ), kept as (
      update event set expires_at = at + ${eventLife(settings)} where subject_id in (select id from gone)
    )
    update account set vault_count = vault_count - 1 from gone where account.id = gone.account_id
    returning account.id`.execute(db)
  return rows.length > 0
}
