import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/streams'
import type { NatsLink } from '@tideport/service-kit/nats'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

type Deps = { db: Kysely<FilesDb>; nats: NatsLink }

const stream = streams.events.name

/**
 * Notices that the broker lost events it had acknowledged (docs/file-lifecycle.md §9): the stream was made anew, or its
 * last sequence lies below what Postgres has seen. Then every event of the stream's age becomes unpublished under a new
 * Msg-Id, in one statement; whoever had it already drops it by its event id. Answers how many.
 */
export async function checkStream({ db, nats }: Deps): Promise<number> {
  const manager = await managerOf(nats)
  const info = await manager.streams.info(stream)
  const result = await sql<{ count: number }>`
    with known as (
      insert into stream_mark (stream, created, acked_sequence) values (${stream}, ${info.created}, ${info.state.last_seq})
      on conflict (stream) do nothing
    ), lost as (
      update stream_mark set created = ${info.created}, acked_sequence = 0
      where stream = ${stream} and (created <> ${info.created} or acked_sequence > ${info.state.last_seq})
      returning stream
    ), again as (
      update file_event set published_at = null, claimed_until = null, resends = resends + 1
      where exists (select from lost) and published_at is not null and type like 'file.%'
        and at > now() - make_interval(secs => ${streams.events.maxAgeSeconds})
      returning id
    )
    select count(*)::int as count from again`.execute(db)
  return result.rows[0]?.count ?? 0
}

/**
 * Remembers how far the stream got. A sequence below what was seen before comes of two relays at work, or of a stream
 * that was wiped: looked at once, not only at the next minute.
 */
export async function noteAcknowledged(deps: Deps, sequences: number[]): Promise<void> {
  const { rows } = await sql<{ before: number }>`
    with mark as (select acked_sequence from stream_mark where stream = ${stream} for update)
    update stream_mark set acked_sequence = greatest(stream_mark.acked_sequence, ${Math.max(...sequences)}::bigint)
    from mark where stream = ${stream}
    returning mark.acked_sequence as before`.execute(deps.db)
  const before = rows[0]?.before
  if (before === undefined || Math.min(...sequences) <= before) await checkStream(deps)
}

async function managerOf(nats: NatsLink): Promise<JetStreamManager> {
  const connection = nats.connection()
  if (!connection) throw new Error('The message broker is not connected')
  return await jetstreamManager(connection, { checkAPI: false })
}
