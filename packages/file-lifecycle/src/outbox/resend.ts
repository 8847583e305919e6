import { setTimeout as delay } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { consumers, streams } from '@tideport/contracts/internal/streams'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import { type Turn, takeTurn } from '../state/serialize.ts'
import type { FilesDb } from '../state/tables.ts'
import { isOutgoing, type OutgoingEvent, outgoingColumns, publishEvent } from './relay.ts'
import type { Acknowledged, StreamPosition } from './stream-position.ts'

const BATCH = 500
const TURN_SECONDS = 15
const FRESH_WAIT_MS = 50
/** A steady flow of new events must not block the history. */
const FRESH_WAITS_MAX = 20
const CONSUMER_WAIT_MS = 100
const CONSUMER_BACKLOG = 2000
const TELL_EVERY_MS = 10_000

const stream = streams.events.name

export interface ResendDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  position: StreamPosition
  log: Log
  onResent: (count: number) => void
}

/** Progress. It starts again when `losses` grows. */
interface Resend {
  losses: number
  since: string
  cursorAt: string
  cursorId: string
  resent: number
}

type PastEvent = OutgoingEvent & { at: string }

/**
 * Sends the history of a stream that lost events again, newest first, in batches. One relay at a time continues from
 * the row. New events go first, and the backlog of the consumer stays short.
 */
export async function resendEvents(deps: ResendDeps, signal: AbortSignal): Promise<void> {
  const { db, log } = deps
  const turn = await takeTurn(db, 'resend events', TURN_SECONDS)
  if (!turn) return
  try {
    const resend = await readResend(db)
    if (!resend) return
    log.warn(progressOf(resend), 'starting to resend lost events')
    await sendAll(deps, turn, resend, signal)
  } finally {
    await turn.end()
  }
}

async function sendAll(deps: ResendDeps, turn: Turn, begun: Resend, signal: AbortSignal): Promise<void> {
  const { db, nats, log } = deps
  let toldAt = performance.now()
  for (let resend: Resend | null = begun; resend && nats.connection(); ) {
    if (!(await waitForRoom(deps, turn, signal))) return
    const batch = await readBatch(db, resend)
    if (batch.length === 0) {
      if (await endResend(db, turn, resend)) log.warn({ resent: resend.resent }, 'resent all lost events')
      return
    }
    resend = await sendBatch(deps, turn, resend, batch)
    if (!resend || performance.now() - toldAt < TELL_EVERY_MS) continue
    toldAt = performance.now()
    log.info(progressOf(resend), 'resending lost events')
  }
}

async function sendBatch(deps: ResendDeps, turn: Turn, resend: Resend, batch: PastEvent[]) {
  const { db, nats, position, onResent } = deps
  const before = position.before()
  const publish = (event: PastEvent) => publishEvent(nats, event, `${event.id}.${resend.losses}`)
  const answers: Acknowledged[] = await Promise.all(batch.map(publish))
  await failpoint('resend.between')
  position.note(answers, before)
  onResent(batch.length)
  return await advance(db, turn, resend, batch, position)
}

/** False: the lock was lost, or the process stops. */
async function waitForRoom({ db, nats }: ResendDeps, turn: Turn, signal: AbortSignal): Promise<boolean> {
  for (let waits = 0; !signal.aborted; ) {
    if (!(await turn.renew())) return false
    if (await isConsumerBehind(nats)) await delay(CONSUMER_WAIT_MS)
    else if (waits++ < FRESH_WAITS_MAX && (await isFreshWaiting(db))) await delay(FRESH_WAIT_MS)
    else return true
  }
  return false
}

/** A consumer that takes no messages cannot be delayed. */
async function isConsumerBehind(nats: NatsLink): Promise<boolean> {
  const connection = nats.connection()
  if (!connection) return false
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const { durable } = consumers.fanOut
  const { num_pending, num_ack_pending, num_waiting } = await manager.consumers.info(stream, durable)
  return num_pending > CONSUMER_BACKLOG && num_ack_pending + num_waiting > 0
}

const resendColumns = sql`losses, since::text, cursor_at::text, cursor_id, resent`

async function readResend(db: Kysely<FilesDb>): Promise<Resend | null> {
  const { rows } = await sql<Resend>`select ${resendColumns} from stream_resend where stream = ${stream}`.execute(db)
  return rows[0] ?? null
}

async function isFreshWaiting(db: Kysely<FilesDb>): Promise<boolean> {
  const { rows } = await sql`
    select from event where published_at is null and ${isOutgoing} and claimed_until is null limit 1`.execute(db)
  return rows.length > 0
}

const isSame = ({ isOurs }: Turn, { losses }: Resend) => sql`stream = ${stream} and losses = ${losses} and ${isOurs}`

/** Events that were ever claimed or published. The relays publish new ones. */
async function readBatch(db: Kysely<FilesDb>, { since, cursorAt, cursorId }: Resend): Promise<PastEvent[]> {
  const { rows } = await sql<PastEvent>`
    select ${outgoingColumns}, at::text from event
    where ${isOutgoing} and at >= ${since}::timestamptz and (at, id) < (${cursorAt}::timestamptz, ${cursorId}::uuid)
      and (published_at is not null or claimed_until is not null)
    order by event.at desc, id desc limit ${BATCH}`.execute(db)
  return rows
}

/** Null: the lock was lost, or the stream lost events again. */
async function advance(
  db: Kysely<FilesDb>,
  turn: Turn,
  resend: Resend,
  batch: PastEvent[],
  position: StreamPosition,
): Promise<Resend | null> {
  const last = batch.at(-1)
  const { rows } = await sql<Resend>`
    with acknowledged as (${position.save()})
    update stream_resend set cursor_at = ${last?.at}::timestamptz, cursor_id = ${last?.id}::uuid,
      resent = resent + ${batch.length}::integer
    where ${isSame(turn, resend)}
    returning ${resendColumns}`.execute(db)
  return rows[0] ?? null
}

async function endResend(db: Kysely<FilesDb>, turn: Turn, resend: Resend): Promise<boolean> {
  const { rows } = await sql`delete from stream_resend where ${isSame(turn, resend)} returning stream`.execute(db)
  return rows.length > 0
}

function progressOf({ cursorAt, since, resent }: Resend) {
  return { at: cursorAt, backTo: since, resent }
}
