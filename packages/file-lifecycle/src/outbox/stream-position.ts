import { streams } from '@tideport/contracts/internal/streams'
import { type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

export interface Acknowledged {
  sequence: number
  msgId: string
  /** False: a duplicate, and `sequence` is that of the first one. */
  isNew: boolean
}

export interface Before {
  losses: number | null
  sequence: number
}

/** The highest sequence that a relay has seen since the last loss of the stream. */
export interface StreamPosition {
  /** Call before a batch is published. `losses` is null before the first comparison. */
  before(): Before
  /** Forgets what a stream acknowledged before it lost events. */
  compared(losses: number): void
  /** Notes the acknowledgments of a batch. False: the stream has lost its last messages. */
  note(answers: readonly Acknowledged[], before: Before): boolean
  /** Part of the statement that relies on the highest sequence. */
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
