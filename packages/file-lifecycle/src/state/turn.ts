import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

/** The right to do what one process at a time does, for a while. */
export interface Turn {
  /** For as long again as it was taken for; false when somebody else has it. */
  renew(): Promise<boolean>
  /** Ends it, if it is still ours; the next one may be taken after so many seconds. */
  end(pauseSeconds?: number): Promise<void>
  /** A condition of a statement: the turn is still ours. */
  isOurs: RawBuilder<boolean>
}

/**
 * Takes a turn for so many seconds; null while somebody else has it, or it rests. One that died is waited for so long. A
 * row, not a lock of a session: behind a pooler nobody has a session, and `isOurs` guards what a late holder writes.
 */
export async function takeTurn(db: Kysely<FilesDb>, name: string, seconds: number): Promise<Turn | null> {
  const holder = randomUUID()
  const until = sql`now() + make_interval(secs => ${seconds})`
  const ours = sql`name = ${name} and holder = ${holder}`
  const { rows } = await sql`
    insert into turn (name, holder, held_until) values (${name}, ${holder}, ${until})
    on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
      where turn.held_until <= now()
    returning 1`.execute(db)
  if (rows.length === 0) return null
  return {
    async renew() {
      const renewed = await sql`update turn set held_until = ${until} where ${ours} returning 1`.execute(db)
      return renewed.rows.length > 0
    },
    async end(pauseSeconds = 0) {
      const rested = sql`now() + make_interval(secs => ${pauseSeconds})`
      await sql`update turn set held_until = ${rested} where ${ours}`.execute(db)
    },
    isOurs: sql<boolean>`exists (select from turn where ${ours})`,
  }
}

/** A condition of a statement: nobody has this turn, so that it may be taken. */
export function isTurnFree(name: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from turn where name = ${name} and held_until > now())`
}
