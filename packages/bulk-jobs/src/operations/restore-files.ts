import type { FileFailure } from '@tideport/contracts/public/many-files'
import { dueAgain, endAhead, type Swapping, swaps } from '@tideport/file-lifecycle/removal/trash'
import { appendEvents, eventPayload } from '@tideport/file-lifecycle/state/append-event'
import { blobIdIn } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { findOccupant } from '@tideport/file-lifecycle/state/take-path'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, sql } from 'kysely'
import { unlessOvertaken } from '../jobs/write-conflicts.ts'
import { type Chosen, type Failures, holdChosen, type Operation, readChosen } from './operation.ts'

const SWAPS_MAX = 10

type Restore = Omit<Swapping, 'onConflict'>

/**
 * Restores files from the trash. A replaced file swaps with the file at its path (`replace`), returns only to a free
 * path (`fail`), or stays in the trash.
 */
export function restoreFiles(settings: Restore, { swap }: { swap: Swapping['onConflict'] | null }): Operation {
  return {
    async apply(trx, chosen) {
      const restored = await restore(trx, chosen, settings)
      const failures: Failures = new Map()
      for (const id of chosen.ids.filter((one) => !restored.has(one))) {
        const failure = await explain(trx, { ...chosen, ids: [id] }, swap && { ...settings, onConflict: swap })
        if (failure !== null) failures.set(id, failure)
      }
      return failures
    },
  }
}

async function restore(
  trx: Kysely<FilesDb>,
  chosen: Chosen,
  { evictWaitSeconds, networks }: Restore,
): Promise<Set<string>> {
  const payload = eventPayload('file.restored', { blobId: blobIdIn(networks) })
  const isRestorable = sql`deleted_at is not null and replaced_by is null
    and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`
  const { rows } = await sql<{ id: string }>`
    with held as materialized (${holdChosen(chosen, isRestorable)}), changed as (
      update file set deleted_at = null, purge_due_at = null, on_conflict = 'keep',
        evict_due_at = ${dueAgain(evictWaitSeconds)}, expires_at = ${endAhead}, version = file.version + 1, updated_at = now()
      from held where file.id = held.id
      returning file.*
    ), home as (
      update vault set file_count = vault.file_count + back.files, storage_bytes = vault.storage_bytes + back.bytes
      from (select vault_id, count(*) as files, sum(size_bytes) as bytes from changed group by vault_id) as back
      where vault.id = back.vault_id
    ), told as (
      ${appendEvents({ kind: 'file', type: 'file.restored', payload, from: sql`changed` })}
    )
    select id from changed`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}

/** Sorts files that were not restored: not in the trash, to be swapped, or failed. */
async function explain(trx: Kysely<FilesDb>, chosen: Chosen, swapping: Swapping | null): Promise<FileFailure | null> {
  for (let swap = 0; swap < SWAPS_MAX; swap += 1) {
    const [file] = (await readChosen(trx, chosen, sql`true`)).values()
    if (file === undefined) return 'not_found'
    if (file.deletedAt === null) return null
    if (file.replacedBy === null) return 'state_conflict'
    if (swapping === null) return 'path_taken'
    const item = { file, ...swapping, cause: currentCause() }
    const [swapped] = (await unlessOvertaken(trx, () => swaps.write(trx, [item], { unlessHeld: false }))) ?? [null]
    if (swapped) return null
    if (swapping.onConflict === 'fail' && (await findOccupant(trx, file)) !== null) return 'path_taken'
  }
  return 'state_conflict'
}
