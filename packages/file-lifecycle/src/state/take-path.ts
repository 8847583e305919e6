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
 * (`takingPaths`). Files are told apart by their keys; the key of most files is their path.
 */
export interface PathTaking {
  key: RawBuilder<unknown>
  /** `fail` or `replace`, of `file` or of the given column. */
  onConflict: RawBuilder<unknown>
  /** The ID of the file that must represent the key, `NOBODY`, or null for no condition. */
  ifOccupant?: RawBuilder<unknown>
  /** The files come out of the trash, so their vault gains them. */
  comesBack?: boolean
  retentionSeconds: number
  networks: Pick<NetworkNames, 'order'>
}

/** As the condition of a path: no file represents it. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The unique index that two writes of one path violate. */
const soleOfPath = 'file_sole_of_key'

/** The last of several files at a path represents the path. An index has this order. */
export const placeInPath = sql`coalesce(place_id, id)`

/** Not in the trash, and confirmed. */
const isThere = sql`status <> 'uploading' and deleted_at is null and purging_at is null`

/** Only one file at a path may have taken it. */
const isSole = sql`sole.on_conflict <> 'keep' and sole.status <> 'uploading'
  and sole.deleted_at is null and sole.purging_at is null`

/** Subquery for the file that represents a key, also in a trashed vault. `among`: a condition on `file`. */
export function standingFor(
  vaultId: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  among: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return lastAt(sql`vault_id = ${vaultId} and key = ${key}`, among)
}

/** The same for a path. Files whose key is the path come first, then those whose key is no path. */
export function standingForPath(
  vaultId: RawBuilder<unknown>,
  path: RawBuilder<unknown>,
  among: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`select * from (
      (${standingFor(vaultId, path, among)}) union all (${lastAt(sql`vault_id = ${vaultId} and path = ${path}`, among)})
    ) as file order by key <> ${path} limit 1`
}

function lastAt(place: RawBuilder<unknown>, among: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select * from file where ${place} and ${isThere} and ${among} order by ${placeInPath} desc limit 1`
}

/** Null: no file of this account represents the key. */
export async function findOccupant(
  db: Kysely<FilesDb>,
  { accountId, vaultId, key }: Pick<FileRow, 'accountId' | 'vaultId' | 'key'>,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from (${standingFor(sql`${vaultId}`, sql`${key}`)}) as file where account_id = ${accountId}`.execute(db)
  return rows[0]?.id ?? null
}

/** Why a file that takes its path is refused. The ID of the file that represents the path; null: none does. */
export type PathRefusal =
  | { outcome: 'path_taken'; occupantId: string }
  | { outcome: 'precondition_failed'; occupantId: string | null }

/** Null: the file may take its path, as far as its conditions are known. */
export async function findRefusal(
  db: Kysely<FilesDb>,
  { onConflict, ifOccupant, ...at }: Pick<FileRow, 'accountId' | 'vaultId' | 'key' | 'onConflict' | 'ifOccupant'>,
): Promise<PathRefusal | null> {
  if (onConflict !== 'fail' && ifOccupant === null) return null
  const occupantId = await findOccupant(db, at)
  if (ifOccupant !== null && ifOccupant !== (occupantId ?? NOBODY))
    return { outcome: 'precondition_failed', occupantId }
  return onConflict === 'fail' && occupantId !== null ? { outcome: 'path_taken', occupantId } : null
}

/**
 * `placed`: the rows of `asked`, each with the `occupant_id` of its path. Locks all rows to be changed in the order of
 * their IDs. Omits rows whose occupant no longer has the path.
 */
export function askedPlaces({ key, onConflict, ifOccupant }: PathTaking, held: Held): RawBuilder<unknown> {
  return sql`, wanted as materialized (
    select asked.*, vault_id as wanted_vault, wanted_key, wanted_how, wanted_occupant,
      row_number() over (partition by vault_id, wanted_key order by asked_id) as turn,
      (select occupant.id from (${standingFor(sql`own.vault_id`, sql`wanted_key`)}) as occupant
        where occupant.id <> asked_id) as occupant_id,
      (select sole.id from file as sole where sole.vault_id = own.vault_id and sole.key = wanted_key and ${isSole}
        and sole.id <> asked_id) as sole_id
    from asked cross join lateral (
      select vault_id, ${key} as wanted_key, ${onConflict} as wanted_how, ${ifOccupant ?? anybody} as wanted_occupant
      from file where file.id = asked_id limit 1
    ) as own
  ), held as materialized (
    select id, vault_id, key, ${isThere} as is_there from file
    where id in (
      select asked_id from wanted union all select occupant_id from wanted union all select sole_id from wanted
    ) order by id ${holding(held)}
  ), placed as materialized (
    select wanted.* from wanted join held on held.id = asked_id left join held as occupant on occupant.id = occupant_id
    where turn = 1 and (wanted_occupant is null or wanted_occupant = coalesce(occupant_id, ${NOBODY}::uuid))
      and (occupant_id is null or wanted_how = 'replace'
        and occupant.is_there and occupant.vault_id = wanted_vault and occupant.key = wanted_key)
  )`
}

const anybody = sql`null::uuid`

/** Guard on `file`: vault, key, conflict rule, and condition are unchanged since they were read. */
export function stillWants({ key, onConflict, ifOccupant }: PathTaking): RawBuilder<unknown> {
  return sql`file.vault_id = wanted_vault and ${key} = wanted_key and ${onConflict} = wanted_how
    and ${ifOccupant ?? anybody} is not distinct from wanted_occupant`
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
