import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import { sql } from 'kysely'
import { type Failures, holdChosen, type Operation, readChosen } from './operation.ts'

const isConfirmed = sql`${isLive} and status <> 'uploading'`

/** Publishes confirmed files that await review, so that public reads find them. Skips files that are already public. */
export const publishFiles: Operation = {
  async apply(trx, chosen) {
    const files = await readChosen(trx, chosen, isLive)
    const payload = sql`jsonb_build_object('name', name, 'path', path, 'vaultId', vault_id)`
    await sql`
      with held as materialized (${holdChosen(chosen, sql`awaiting_review and ${isConfirmed}`)}), changed as (
        update file set awaiting_review = false, updated_at = now() from held where file.id = held.id
        returning file.*
      )
      ${appendEvents({ kind: 'file', type: 'file.published', payload, from: sql`changed` })}`.execute(trx)
    const failures: Failures = new Map()
    for (const id of chosen.ids) {
      const file = files.get(id)
      if (file === undefined) failures.set(id, 'not_found')
      else if (file.status === 'uploading') failures.set(id, 'upload_not_confirmed')
    }
    return failures
  },
}
