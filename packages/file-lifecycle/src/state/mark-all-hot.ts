import type { TraceContext } from '@tideport/service-kit/context/trace-context'
import { type Kysely, sql } from 'kysely'
import { appendEvents, eventPayload } from './append-event.ts'
import { askedFiles, askedRows, holding } from './asked-rows.ts'
import { planCopies } from './guarded-update.ts'
import { isLive } from './live-file.ts'
import { transitions } from './state.ts'
import type { FileRow, FilesDb } from './tables.ts'
import { noteTransition } from './transition-metrics.ts'

/** A file whose object was seen in the store with its declared size. */
export interface Seen {
  /** The row as it was read: its version is the guard. */
  file: FileRow
  /** Of the confirm that saw it. */
  trace: TraceContext
}

/**
 * uploading → hot, of any number of files in one statement, each with its event and a copy planned on every required
 * network. Returns the new rows in the same order; null where a guard failed: read again and decide anew. Files are
 * locked in the order of their ids, then accounts. Null too, with `unlessHeld`, when somebody holds one of these rows;
 * without it there may be files of one account only.
 */
export async function markAllHot(
  db: Kysely<FilesDb>,
  seen: readonly Seen[],
  { required, unlessHeld }: { required: readonly string[]; unlessHeld: boolean },
): Promise<(FileRow | null)[]> {
  const { from, to, event } = transitions.markHot
  const payload = eventPayload(event, { blobId: sql`null::text` })
  const { rows } = await sql<FileRow & TraceContext>`
    with asked as materialized (
      select * from (${askedRows({
        id: ['uuid', seen.map(({ file }) => file.id)],
        version: ['integer', seen.map(({ file }) => file.version)],
        request_id: ['text', seen.map(({ trace }) => trace.requestId)],
        traceparent: ['text', seen.map(({ trace }) => trace.traceparent)],
      })}) as asked order by id
    ), chosen as materialized (
      select file.id, file.account_id, asked.request_id, asked.traceparent
      from asked ${askedFiles({ unlessHeld })}
      where status = any(${from}) and ${isLive}
    ), free as materialized (
      select id from account where id in (select account_id from chosen) ${holding({ unlessHeld })}
    ), changed as (
      update file set status = ${to}, confirmed_at = now(), completing_at = null, claimed_until = null,
        unfinished_claims = 0, version = version + 1, updated_at = now()
      from chosen join free on free.id = chosen.account_id
      where file.id = chosen.id
      returning file.*, chosen.request_id, chosen.traceparent
    )${sql.join(planCopies(required), sql``)}, told as (
      ${appendEvents({ kind: 'file', type: event, payload, from: sql`changed`, trace: 'of_rows' })}
    ), counted as (
      update account set hot_bytes = account.hot_bytes + confirmed.bytes,
        open_uploads = account.open_uploads - confirmed.files
      from (
        select account_id, count(*) as files, sum(size_bytes) as bytes from changed group by account_id
      ) as confirmed
      where account.id = confirmed.account_id
    )
    select * from changed`.execute(db)
  const confirmed = new Map(rows.map(({ requestId: _, traceparent: __, ...row }) => [row.id, row]))
  return seen.map(({ file }) => {
    const hot = confirmed.get(file.id)
    if (hot === undefined) return null
    // Confirmed twice at once: one of them did it.
    confirmed.delete(file.id)
    noteTransition(db, file.status, hot)
    return hot
  })
}
