import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { isOutgoing, type OutgoingEvent, outgoingColumns, publishEvent } from './publish-event.ts'
import type { StreamPosition } from './stream-position.ts'

const BATCH = 200
const CLAIM_SECONDS = 15

export interface RelayEventsDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  position: StreamPosition
  onPublished: (events: number) => void
  /** Called when the stream answered with sequences that it must have given before. */
  onWentBack: () => void
}

type ClaimedEvent = OutgoingEvent & { resends: number }

/**
 * Publishes what was not published yet, oldest first: claim a batch in one committed statement, publish, mark. Any relay
 * takes any row. A crash in between publishes again under the same Msg-Id, which is harmless: at least once. The mark
 * and the highest sequence are one statement, so the stream is known to have got at least as far as the marks say.
 * Answers how many events were published.
 */
export async function relayEvents(deps: RelayEventsDeps, signal: AbortSignal): Promise<number> {
  const { db, nats } = deps
  let published = 0
  while (!signal.aborted && nats.connection()) {
    const batch = await claimBatch(db)
    if (batch.length > 0) published += await publishBatch(deps, batch)
    if (batch.length < BATCH) break
  }
  return published
}

async function publishBatch({ db, nats, position, onPublished, onWentBack }: RelayEventsDeps, batch: ClaimedEvent[]) {
  const before = position.before()
  const results = await Promise.allSettled(batch.map((event) => publishEvent(nats, event, msgIdOf(event))))
  await failpoint('relay.between')
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (!position.note(answers, before)) onWentBack()
  const done = batch.filter((_, index) => results[index]?.status === 'fulfilled').map(({ id }) => id)
  onPublished(done.length)
  if (done.length > 0) await markPublished(db, done, position)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    const undone = batch.map(({ id }) => id).filter((id) => !done.includes(id))
    await release(db, undone)
    throw failed.reason
  }
  return done.length
}

async function claimBatch(db: Kysely<FilesDb>): Promise<ClaimedEvent[]> {
  const { rows } = await sql<ClaimedEvent>`
    with batch as (
      select id from file_event
      where published_at is null and ${isOutgoing} and (claimed_until is null or claimed_until <= now())
      order by at, id limit ${BATCH} for update skip locked
    ), claimed as (
      update file_event set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
      where id in (select id from batch)
      returning ${outgoingColumns}, resends, at
    )
    select * from claimed order by at, id`.execute(db)
  return rows
}

/** Releases before 0007 counted the resends of each event. */
function msgIdOf({ id, resends }: ClaimedEvent): string {
  return resends === 0 ? id : `${id}.${resends}`
}

async function markPublished(db: Kysely<FilesDb>, ids: string[], position: StreamPosition): Promise<void> {
  await sql`
    with acknowledged as (${position.save()})
    update file_event set published_at = now(), claimed_until = null where id = any(${ids}::uuid[])`.execute(db)
}

async function release(db: Kysely<FilesDb>, ids: string[]): Promise<void> {
  await sql`update file_event set claimed_until = null
    where id = any(${ids}::uuid[]) and published_at is null`.execute(db)
}
