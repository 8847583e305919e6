import { isTooLong, PATH_BYTES_MAX, SEGMENT_BYTES_MAX } from '@tideport/contracts/public/paths'
import { fileChanged, type Taking, takings } from '@tideport/file-lifecycle/state/edit-file'
import { askedRows, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb, OnConflict } from '@tideport/file-lifecycle/state/tables'
import { findOccupant, type PathTaking } from '@tideport/file-lifecycle/state/take-path'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { unlessOvertaken } from '../jobs/write-conflicts.ts'
import { type Chosen, type Failures, holdChosen, type Operation, readChosen } from './operation.ts'

export interface MoveTo {
  /** The vault of the files, or another one with the same visibility; then `onConflict` is `keep`. */
  vaultId: string
  /** The target folder, with a slash at its end. Empty: no folder. */
  folder: string
  /** The prefix that `folder` replaces, so that subfolders are kept. Null: `folder` replaces any folder. */
  from: string | null
  onConflict: OnConflict
  /** The last ten digits of the new place IDs. The job uses them to recognize files that it has already moved. */
  mark?: string
}

export type MoveSettings = Pick<PathTaking, 'retentionSeconds' | 'networks'>

/** A vault was trashed or deleted after the request read it. */
export class VaultGone extends Error {
  override name = 'VaultGone'
}

/** Attempts to take a path while other requests take it first. */
const TAKINGS_MAX = 10

const isMovable = sql`${isLive} and status <> 'uploading'`

/** Moves files to a folder. Throws `VaultGone`. */
export function moveFiles(to: MoveTo, settings: MoveSettings): Operation {
  return {
    apply: (trx, chosen) =>
      to.onConflict === 'keep' ? moveBeside(trx, chosen, to) : moveTaking(trx, chosen, { ...to, ...settings }),
  }
}

/** Like `isTooLong`, in SQL. The segments of `folder` are checked already. */
const isPlaceTooLong = (folder: RawBuilder<unknown>) =>
  sql`(${folder} <> '' and (octet_length(file.name) > ${SEGMENT_BYTES_MAX}
    or octet_length(${folder} || file.name) > ${PATH_BYTES_MAX}))`

interface Moved {
  id: string
  isTooLong: boolean
  liveHomes: number
}

/** Keeps other files at the same paths. Locks vaults last, in the order of their IDs. */
async function moveBeside(trx: Kysely<FilesDb>, chosen: Chosen, to: MoveTo): Promise<Failures> {
  const places = askedRows({
    placed_id: ['uuid', chosen.ids],
    given_place: ['uuid', chosen.ids.map(() => placeOf(to))],
  })
  const folder =
    to.from === null ? sql`${to.folder}::text` : sql`${to.folder}::text || substr(folder, ${[...to.from].length + 1})`
  const more = sql`, ${folder} as new_folder, file.name as name_before, file.path as path_before, file.vault_id as vault_before,
    ${isPlaceTooLong(folder)} as is_too_long`
  const { rows } = await sql<Moved>`
    with places as materialized (${places}), held as materialized (${holdChosen(chosen, isMovable, more)}), changed as (
      update file set folder = new_folder, vault_id = ${to.vaultId}, place_id = given_place, on_conflict = 'keep',
        raw_key = case when new_folder = file.folder then raw_key end,
        version = file.version + (case when file.vault_id = ${to.vaultId} then 0 else 1 end), updated_at = now()
      from held join places on placed_id = held.id
      where file.id = held.id and not is_too_long and (new_folder <> file.folder or file.vault_id <> ${to.vaultId})
      returning file.*, name_before, path_before, vault_before
    ), homes as materialized (
      select id from vault where id in (${chosen.vaultId}, ${to.vaultId}) and deleted_at is null
        and exists (select from changed where vault_id <> vault_before)
      order by id for no key update
    ), counted as (
      update vault set file_count = vault.file_count + gained.files, storage_bytes = vault.storage_bytes + gained.bytes
      from (
        select home, sum(sign) as files, sum(sign * size_bytes) as bytes from changed
        cross join lateral (values (vault_id, 1), (vault_before, -1)) as sides (home, sign)
        where vault_id <> vault_before group by home
      ) as gained join homes on homes.id = home
      where vault.id = homes.id
    ), told as (${fileChanged({})})
    select id, is_too_long,
      (select case when exists (select from changed where vault_id <> vault_before) then count(*) else 2 end from homes)
        as live_homes
    from held`.execute(trx)
  if (rows.some(({ liveHomes }) => liveHomes !== 2))
    throw new VaultGone('A vault of the moved files was moved to the trash')
  const found = new Map(rows.map((row) => [row.id, row]))
  return failuresOf(chosen.ids, (id) => {
    const row = found.get(id)
    return row === undefined ? 'not_found' : row.isTooLong ? 'path_too_long' : null
  })
}

/** Replaces the file at each path, or fails where `onConflict` is `fail`. Moves only within the vault. */
async function moveTaking(trx: Kysely<FilesDb>, chosen: Chosen, to: MoveTo & MoveSettings): Promise<Failures> {
  const files = await readChosen(trx, chosen, isMovable)
  const failures = failuresOf(chosen.ids, (id) => (files.has(id) ? null : 'not_found'))
  const wanted = [...files.values()]
    .map((file) => itemOf(file, to))
    .filter(({ file, folder }) => folder !== file.folder)
  const fitting = wanted.filter(({ file, folder, name }) => {
    const isLeft = isTooLong(folder + name)
    if (isLeft) failures.set(file.id, 'path_too_long')
    return !isLeft
  })
  const [first, ...others] = fitting
  if (first === undefined) return failures
  const written = others.length === 0 ? [null] : await takings.write(trx, [first, ...others], { unlessHeld: false })
  for (const [index, item] of fitting.entries()) {
    if (written[index]) continue
    const failure = await takeAlone(trx, chosen, item, to)
    if (failure !== null) failures.set(item.file.id, failure)
  }
  return failures
}

type Item = Taking & Parameters<typeof takings.write>[1][number]

function itemOf(file: FileRow, to: MoveTo & MoveSettings): Item {
  const { networks, retentionSeconds, onConflict } = to
  const folder = to.from === null ? to.folder : to.folder + file.folder.slice(to.from.length)
  return {
    file,
    folder,
    name: file.name,
    onConflict,
    networks,
    retentionSeconds,
    placeId: placeOf(to),
    cause: currentCause(),
  }
}

/** Retries one file that the batch did not move, for example because another request changed its path. */
async function takeAlone(trx: Kysely<FilesDb>, chosen: Chosen, item: Item, to: MoveTo & MoveSettings) {
  const { id } = item.file
  for (let taking = 0; taking < TAKINGS_MAX; taking += 1) {
    const file = (await readChosen(trx, { ...chosen, ids: [id] }, isMovable)).get(id)
    if (file === undefined) return 'not_found'
    const again = itemOf(file, to)
    const at = { ...file, key: again.folder + again.name }
    if (to.onConflict === 'fail' && (await findOccupant(trx, at)) !== null) return 'path_taken'
    const [taken] = (await unlessOvertaken(trx, () => takings.write(trx, [again], { unlessHeld: false }))) ?? [null]
    if (taken) return null
  }
  return 'state_conflict'
}

function placeOf({ mark }: Pick<MoveTo, 'mark'>): string {
  const place = uuidv7()
  return mark === undefined ? place : place.slice(0, -mark.length) + mark
}

function failuresOf(ids: readonly string[], why: (id: string) => 'not_found' | 'path_too_long' | null): Failures {
  const failures: Failures = new Map()
  for (const id of ids) {
    const failure = why(id)
    if (failure !== null) failures.set(id, failure)
  }
  return failures
}
