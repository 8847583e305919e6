import type { TraceContext } from '@tideport/service-kit/context/trace-context'
import { type Kysely, sql } from 'kysely'
import { appendEvents, eventPayload } from './append-event.ts'
import { askedCopies, askedFiles, askedRows } from './asked-rows.ts'
import { asStored, blobIdWith, type ClaimedCopy, type HeldCopy, tellCopy } from './copy-transitions.ts'
import type { NetworkNames } from './file-copies.ts'
import { isLive } from './live-file.ts'
import { transitions } from './state.ts'
import type { FileRow, FilesDb } from './tables.ts'
import { noteTransition } from './transition-metrics.ts'

/**
 * Writes of many claimed copies in one statement, all on one network, none of them lost before. Each file and copy is
 * guarded as alone. The answers are the new rows in the same order; null where a guard failed or somebody holds a row,
 * for nothing here waits: that one is asked for alone.
 */

export interface ClaimedCopyWith<Written> {
  claimed: ClaimedCopy
  written: Written
}

/** As `nameCopy`. */
export async function nameCopies(
  db: Kysely<FilesDb>,
  network: string,
  named: readonly ClaimedCopyWith<{ blobId: string; ref: Record<string, string> }>[],
): Promise<(FileRow | null)[]> {
  const { rows } = await sql<Changed>`
    with asked as materialized (
      ${askedRows({
        ...claimsOf(named),
        blob_id: ['text', named.map(({ written }) => written.blobId)],
        ref: ['jsonb', named.map(({ written }) => JSON.stringify(written.ref))],
      })}
    ), chosen as materialized (
      select file.id, asked.blob_id, asked.ref
      from asked ${askedFiles({ unlessHeld: true })} ${askedCopies(network)}
      where file.status in ('hot', 'synced', 'cold', 'error') and ${isLive}
    ), named as (
      update copy set blob_id = chosen.blob_id, ref = chosen.ref
      from chosen where copy.file_id = chosen.id and copy.network = ${network}
    )
    update file set version = version + 1, updated_at = now() from chosen where file.id = chosen.id
    returning file.id, version, updated_at`.execute(db)
  return changedOf(named, rows)
}

/** As `markStored`, of files that are hot: their first copies. */
export async function markFirstStored(
  db: Kysely<FilesDb>,
  network: string,
  stored: readonly ClaimedCopyWith<HeldCopy & { trace: TraceContext }>[],
  { order, hotRetentionSeconds }: Pick<NetworkNames, 'order'> & { hotRetentionSeconds: number },
): Promise<(FileRow | null)[]> {
  const { from, to, event } = transitions.markSynced
  const all = <T>(of: (item: HeldCopy & { trace: TraceContext }) => T) => stored.map(({ written }) => of(written))
  const copied = tellCopy('file.copied', { network }, sql`shown_blob_id`)
  const synced = eventPayload(event, { blobId: sql`shown_blob_id` })
  const { rows } = await sql<Changed>`
    with asked as materialized (
      ${askedRows({
        ...claimsOf(stored),
        new_sha256: ['text', all(({ sha256 }) => sha256)],
        lease_end: ['timestamptz', all(({ leaseExpiresAt }) => leaseExpiresAt)],
        shown_blob_id: ['text', stored.map(({ claimed, written }) => blobIdWith(claimed, written, order))],
        request_id: ['text', all(({ trace }) => trace.requestId)],
        traceparent: ['text', all(({ trace }) => trace.traceparent)],
      })}
    ), chosen as materialized (
      select asked.*
      from asked ${askedFiles({ unlessHeld: true })} ${askedCopies(network)}
      where file.status = any(${from}) and (file.sha256 is null or file.sha256 = asked.new_sha256) and ${isLive}
    ), changed as (
      update file set status = ${to}, synced_at = now(), sha256 = chosen.new_sha256, evict_attempt = 0,
        hot_until = now() + make_interval(secs => ${hotRetentionSeconds}), version = file.version + 1, updated_at = now()
      from chosen where file.id = chosen.id
      returning file.*, lease_end, shown_blob_id, request_id, traceparent
    ), stored as (
      update copy set ${asStored({ proveAt: sql`changed.hot_until`, leaseEnd: sql`changed.lease_end` })},
        claimed_until = null, unfinished_claims = 0
      from changed where copy.file_id = changed.id and copy.network = ${network}
    ), copied as (
      ${appendEvents({ kind: 'file', ...copied, from: sql`changed`, trace: 'of_rows' })}
    ), synced as (
      ${appendEvents({ kind: 'file', type: event, payload: synced, from: sql`changed`, trace: 'of_rows' })}
    )
    select id, status, version, updated_at, synced_at, sha256, hot_until, evict_attempt from changed`.execute(db)
  const changed = changedOf(stored, rows)
  for (const file of changed) if (file) noteTransition(db, 'hot', file)
  return changed
}

type Changed = Partial<FileRow> & Pick<FileRow, 'id'>

/** What `askedFiles` and `askedCopies` look for. */
function claimsOf(asked: readonly { claimed: ClaimedCopy }[]) {
  return {
    id: ['uuid', asked.map(({ claimed }) => claimed.file.id)],
    version: ['integer', asked.map(({ claimed }) => claimed.file.version)],
    fencing_token: ['bigint', asked.map(({ claimed }) => claimed.copy.fencingToken)],
  } as const
}

/** Of other columns nothing can have changed while the version is the same, so the rows need not be read. */
function changedOf(asked: readonly { claimed: ClaimedCopy }[], rows: readonly Changed[]): (FileRow | null)[] {
  const changed = new Map(rows.map((row) => [row.id, row]))
  return asked.map(({ claimed: { file } }) => {
    const own = changed.get(file.id)
    return own ? { ...file, ...own } : null
  })
}
