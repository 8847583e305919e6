import { isUniqueViolation } from '@tideport/service-kit/postgres/database-errors'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { appendEvents, eventPayload } from './append-event.ts'
import { blobIdIn, type NetworkNames } from './file-copies.ts'
import { holding } from './queries.ts'
import type { FileRow, FilesDb } from './tables.ts'
import type { Held, ManyRows } from './writes.ts'

/**
 * How a guarded update takes paths (ADR 0008): `replace` trashes the file there in the same statement, `fail` refuses
 * the new one. Only one of several files for one path succeeds. A path that was taken meanwhile violates an index
 * (`takingPaths`).
 */
export interface PathTaking {
  path: RawBuilder<unknown>
  /** `fail` or `replace`, of `file` or of the given column. */
  onConflict: RawBuilder<unknown>
  /** The files come out of the trash, so their vault gains them. */
  comesBack?: boolean
  retentionSeconds: number
  networks: Pick<NetworkNames, 'order'>
}

/** The unique index that two writes of one path violate. */
const soleOfPath = 'file_sole_of_key'

/** The last of several files at a path represents the path. An index has this order. */
export const placeInPath = sql`coalesce(place_id, id)`

/** Not in the trash, and confirmed. */
const isThere = sql`status <> 'uploading' and deleted_at is null and purging_at is null`

/** Only one file at a path may have taken it. */
const isSole = sql`sole.on_conflict <> 'keep' and sole.status <> 'uploading'
  and sole.deleted_at is null and sole.purging_at is null`

/** Subquery for the file that represents a path, also in a trashed vault. `among`: a condition on `file`. */
export function standingFor(
  vaultId: RawBuilder<unknown>,
  path: RawBuilder<unknown>,
  among: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`select * from file where vault_id = ${vaultId} and path = ${path} and ${isThere} and ${among}
    order by ${placeInPath} desc limit 1`
}

/** Null: no file of this account represents the path. */
export async function findOccupant(
  db: Kysely<FilesDb>,
  { accountId, vaultId, path }: Pick<FileRow, 'accountId' | 'vaultId' | 'path'>,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from (${standingFor(sql`${vaultId}`, sql`${path}`)}) as file where account_id = ${accountId}`.execute(db)
  return rows[0]?.id ?? null
}

/**
 * `placed`: the rows of `asked`, each with the `occupant_id` of its path. Locks all rows to be changed in the order of
 * their IDs. Omits rows whose occupant no longer has the path.
 */
export function askedPlaces({ path, onConflict }: PathTaking, held: Held): RawBuilder<unknown> {
  return sql`, wanted as materialized (
    select asked.*, vault_id as wanted_vault, wanted_path, wanted_how,
      row_number() over (partition by vault_id, wanted_path order by asked_id) as turn,
      (select occupant.id from (${standingFor(sql`own.vault_id`, sql`wanted_path`)}) as occupant
        where occupant.id <> asked_id) as occupant_id,
      (select sole.id from file as sole where sole.vault_id = own.vault_id and sole.path = wanted_path and ${isSole}
        and sole.id <> asked_id) as sole_id
    from asked cross join lateral (
      select vault_id, ${path} as wanted_path, ${onConflict} as wanted_how from file where file.id = asked_id limit 1
    ) as own
  ), held as materialized (
    select id, vault_id, path, ${isThere} as is_there from file
    where id in (
      select asked_id from wanted union all select occupant_id from wanted union all select sole_id from wanted
    ) order by id ${holding(held)}
  ), placed as materialized (
    select wanted.* from wanted join held on held.id = asked_id left join held as occupant on occupant.id = occupant_id
    where turn = 1 and (occupant_id is null or wanted_how = 'replace'
      and occupant.is_there and occupant.vault_id = wanted_vault and occupant.path = wanted_path)
  )`
}

/** Guard on `file`: vault, path, and conflict rule are unchanged since they were read. */
export function stillWants({ path, onConflict }: PathTaking): RawBuilder<unknown> {
  return sql`file.vault_id = wanted_vault and ${path} = wanted_path and ${onConflict} = wanted_how`
}

/**
 * `made_room`: one row, after the occupants of rows in `paid` were trashed with their events, because the index allows
 * only one file. Files that share the path with others stay.
 */
export function replaceOccupants(
  { retentionSeconds, networks }: PathTaking,
  { paid, eventId }: { paid: RawBuilder<unknown>; eventId: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const payload = eventPayload('file.deleted', { blobId: blobIdIn(networks) })
  return sql`, replaced as (
    update file set ${intoTrash(retentionSeconds)}, replaced_by = asked_id, version = file.version + 1, updated_at = now()
    from ${paid} where file.id = occupant_id
    returning file.*, request_id, traceparent, actor, client_address
  ), shared as (
    update file set on_conflict = 'keep' from ${paid} where file.id = sole_id and sole_id is distinct from occupant_id
    returning file.id
  ), made_room as materialized (
    select (select count(*) from replaced) + (select count(*) from shared) as files
  ), replaced_told as (
    ${appendEvents({ kind: 'file', type: 'file.deleted', payload, from: sql`replaced as changed`, cause: 'of_rows', id: eventId })}
  )`
}

/** Updates the vaults' counters in one order, after `changed`. */
export function countReplaced({ comesBack = false }: PathTaking): RawBuilder<unknown> {
  const back = comesBack ? sql`union all select vault_id, size_bytes, 1 from changed` : sql``
  return sql`, moved as (
    select vault_id, size_bytes, -1 as sign from replaced ${back}
  ), homes as materialized (
    select id from vault where id in (select vault_id from moved) order by id for no key update
  ), home as (
    update vault set file_count = vault.file_count + gained.files, storage_bytes = vault.storage_bytes + gained.bytes
    from (
      select vault_id, sum(sign) as files, sum(sign * size_bytes) as bytes from moved group by vault_id
    ) as gained join homes on homes.id = gained.vault_id
    where vault.id = homes.id
  )`
}

/** Moves a file to the trash. A restored cold file keeps the date on which it leaves the hot tier. */
export function intoTrash(retentionSeconds: number): RawBuilder<unknown> {
  return sql`deleted_at = now(), purge_due_at = now() + make_interval(secs => ${retentionSeconds}),
    evict_due_at = case when status = 'cold' then evict_due_at end`
}

/** Whether another write took the path at the same time. */
export function isOvertaken(error: unknown): boolean {
  return isUniqueViolation(error, soleOfPath)
}

/** A write whose path was taken first returns null, as after any failed guard. */
export function takingPaths<Item, Row>(rows: ManyRows<Item, Row>): ManyRows<Item, Row> {
  return {
    ...rows,
    async write(db, items, held) {
      try {
        return await rows.write(db, items, held)
      } catch (error) {
        // The failed item is unknown, so each is written alone.
        if (items.length > 1 || !isOvertaken(error)) throw error
        return [null]
      }
    },
  }
}
