import { appendEvents, eventPayload } from '@tideport/file-lifecycle/state/append-event'
import { blobIdIn, type NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { intoTrash } from '@tideport/file-lifecycle/state/take-path'
import { type Kysely, sql } from 'kysely'
import { type Chosen, type Failures, holdChosen, type Operation, readChosen } from './operation.ts'

export interface TrashSettings {
  retentionSeconds: number
  networks: Pick<NetworkNames, 'order'>
}

/** Moves confirmed files to the trash. */
export function trashFiles(settings: TrashSettings): Operation {
  return {
    async apply(trx, chosen) {
      const trashed = await trash(trx, chosen, settings)
      const left = { ...chosen, ids: chosen.ids.filter((id) => !trashed.has(id)) }
      const failures: Failures = new Map()
      if (left.ids.length === 0) return failures
      const files = await readChosen(trx, left, sql`true`)
      for (const id of left.ids) {
        const file = files.get(id)
        if (file === undefined) failures.set(id, 'not_found')
        else if (file.status === 'uploading') failures.set(id, 'upload_not_confirmed')
      }
      return failures
    },
  }
}

async function trash(
  trx: Kysely<FilesDb>,
  chosen: Chosen,
  { retentionSeconds, networks }: TrashSettings,
): Promise<Set<string>> {
  const payload = eventPayload('file.deleted', { blobId: blobIdIn(networks) })
  const { rows } = await sql<{ id: string }>`
    with held as materialized (${holdChosen(chosen, sql`deleted_at is null and status <> 'uploading'`)}), changed as (
      update file set ${intoTrash(retentionSeconds)}, version = file.version + 1, updated_at = now()
      from held where file.id = held.id
      returning file.*
    ), home as (
      update vault set file_count = vault.file_count - leaving.files, storage_bytes = vault.storage_bytes - leaving.bytes
      from (select vault_id, count(*) as files, sum(size_bytes) as bytes from changed group by vault_id) as leaving
      where vault.id = leaving.vault_id
    ), told as (
      ${appendEvents({ kind: 'file', type: 'file.deleted', payload, from: sql`changed` })}
    )
    select id from changed`.execute(trx)
  return new Set(rows.map(({ id }) => id))
}
