import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { consumers, streams } from '@tideport/contracts/internal/streams'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'

const stream = streams.events.name

export interface CheckDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  eventLifeSeconds: number
}

export interface StreamCheck {
  losses: number
  /** Set only by the check that noted the loss. */
  loss: string | null
  hasResend: boolean
}

interface Mark {
  created: string
  losses: number
  /** The highest acknowledged sequence since the last loss, and its message. */
  sequence: number
  msgId: string | null
  /** How far the fan-out has read; null: not checked yet. */
  taken: number | null
  hasResend: boolean
}

interface Seen {
  created: string
  firstSequence: number
  lastSequence: number
  /** How far the fan-out has read, and whether it is reading. */
  taken: number
  isTaken: boolean
}

/**
 * Detects that the broker lost acknowledged events (docs/explain/life-of-a-file.md §9). Postgres is read before the
 * broker, so a healthy stream is never behind. All checks update the same mark, so exactly one of them notes a loss,
 * and schedules the complete history again in `stream_resend`.
 */
export async function checkStream({ db, nats, eventLifeSeconds }: CheckDeps): Promise<StreamCheck> {
  const known = await readMark(db)
  const manager = await managerOf(nats)
  const seen = await look(manager)
  const mark = known ?? (await makeMark(db, seen))
  const { losses, hasResend } = mark
  const loss = await findLoss(manager, mark, seen)
  if (loss === null) {
    await noteTaken(db, mark, seen)
    return { losses, loss, hasResend }
  }
  const isOurs = await noteLoss(db, mark, seen, eventLifeSeconds)
  return isOurs ? { losses: losses + 1, loss, hasResend: true } : { losses, loss: null, hasResend }
}

async function look(manager: JetStreamManager): Promise<Seen> {
  const { created, state } = await manager.streams.info(stream)
  const fanOut = await manager.consumers.info(stream, consumers.fanOut.durable)
  return {
    created,
    firstSequence: state.first_seq,
    lastSequence: state.last_seq,
    taken: fanOut.ack_floor.stream_seq,
    isTaken: fanOut.num_waiting + fanOut.num_ack_pending > 0,
  }
}

async function findLoss(manager: JetStreamManager, mark: Mark, seen: Seen): Promise<string | null> {
  const { sequence, msgId, taken } = mark
  if (seen.created !== mark.created) return 're-created'
  if (seen.lastSequence < sequence) return 'lost its last messages'
  // Without a reader the events would be dropped again.
  if (taken !== null && seen.isTaken && seen.firstSequence > taken + 1) return 'dropped unread events'
  if (msgId === null || sequence < seen.firstSequence) return null
  const message = await manager.streams.getMessage(stream, { seq: sequence })
  return message !== null && message.header.get('Nats-Msg-Id') !== msgId
    ? 'lost its last messages and received new ones'
    : null
}

/** An inactive consumer skips dropped messages without reading them. */
async function noteTaken(db: Kysely<FilesDb>, { losses, taken }: Mark, seen: Seen): Promise<void> {
  if (taken !== null && (!seen.isTaken || seen.taken <= taken)) return
  await sql`
    update stream_mark set taken_sequence = greatest(taken_sequence, ${seen.taken}::bigint)
    where stream = ${stream} and losses = ${losses}`.execute(db)
}

/** Deletes older acknowledgments after their relays have exited. */
async function readMark(db: Kysely<FilesDb>): Promise<Mark | null> {
  const { rows } = await sql<Mark>`
    with latest as (
      select ack.losses, sequence, msg_id from stream_ack ack join stream_mark mark using (stream)
      where stream = ${stream} and ack.losses = mark.losses order by sequence desc limit 1
    ), stale as (
      delete from stream_ack where stream = ${stream} and at < now() - interval '1 hour'
        and (losses, sequence) < (select losses, sequence from latest)
    )
    select created, mark.losses, coalesce(latest.sequence, 0) as sequence, msg_id, taken_sequence as taken,
      exists (select from stream_resend where stream = ${stream}) as has_resend
    from stream_mark mark left join latest on true
    where stream = ${stream}`.execute(db)
  return rows[0] ?? null
}

async function makeMark(db: Kysely<FilesDb>, { created }: Seen): Promise<Mark> {
  await sql`insert into stream_mark (stream, created) values (${stream}, ${created}) on conflict do nothing`.execute(db)
  return { created, losses: 0, sequence: 0, msgId: null, taken: null, hasResend: false }
}

/** False: another check noted it. An unfinished resend starts again, as far back as before. */
async function noteLoss(db: Kysely<FilesDb>, known: Mark, seen: Seen, eventLifeSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    with lost as (
      update stream_mark set created = ${seen.created}, losses = losses + 1,
        taken_sequence = ${Math.max(seen.taken, seen.firstSequence - 1)}::bigint
      where stream = ${stream} and created = ${known.created} and losses = ${known.losses}
      returning stream, losses
    )
    insert into stream_resend (stream, losses, since, cursor_at)
    select stream, losses, now() - make_interval(secs => ${eventLifeSeconds}), now() from lost
    on conflict (stream) do update
    set losses = excluded.losses, since = least(stream_resend.since, excluded.since), cursor_at = excluded.cursor_at,
      cursor_id = excluded.cursor_id, resent = 0
    returning stream`.execute(db)
  return rows.length > 0
}

async function managerOf(nats: NatsLink): Promise<JetStreamManager> {
  const connection = nats.connection()
  if (!connection) throw new Error('The message broker is not connected')
  return await jetstreamManager(connection, { checkAPI: false })
}
