import { streams } from '@tideport/contracts/internal/streams'
import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

/** What the stream answered to one message. */
export interface Acknowledged {
  sequence: number
  msgId: string
  /** False: it had the message already, and `sequence` is that one's. */
  isNew: boolean
}

/** What was known when a batch was begun. */
export interface Before {
  losses: number | null
  sequence: number
}

/** How far one relay saw the stream get since that lost events last. */
export interface StreamPosition {
  /** To be read before a batch is published. `losses` is null until the stream was compared for the first time. */
  before(): Before
  /** After a comparison. What was acknowledged by a stream that has lost events since counts no more. */
  compared(losses: number): void
  /** Takes down the answers to a batch that was begun at `before`. False: the stream went back. */
  note(answers: readonly Acknowledged[], before: Before): boolean
  /** A statement that keeps the highest sequence, to be one with the statement that counts on it. */
  save(): RawBuilder<unknown>
}

export function createStreamPosition(): StreamPosition {
  const relay = uuidv7()
  let losses: number | null = null
  let highest = { sequence: 0, msgId: '' }
  return {
    before: () => ({ losses, sequence: highest.sequence }),
    compared(now) {
      if (now !== losses) highest = { sequence: 0, msgId: '' }
      losses = now
    },
    note(answers, before) {
      if (before.losses !== losses) return true
      for (const answer of answers) if (answer.sequence > highest.sequence) highest = answer
      return !answers.some(({ isNew, sequence }) => isNew && sequence <= before.sequence)
    },
    save: () => sql`
      insert into stream_ack (relay, stream, losses, sequence, msg_id)
      select ${relay}::uuid, ${streams.events.name}, ${losses}::integer, ${highest.sequence}::bigint, ${highest.msgId}
      where ${highest.sequence}::bigint > 0
      on conflict (relay) do update
      set losses = excluded.losses, sequence = excluded.sequence, msg_id = excluded.msg_id, at = now()
      where (stream_ack.losses, stream_ack.sequence) < (excluded.losses, excluded.sequence)`,
  }
}
