import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

/** A lease for work that only one process at a time may do. */
export interface Turn {
  /** False: another process has it. */
  renew(): Promise<boolean>
  /** The next process may start after the pause. */
  end(pauseSeconds?: number): Promise<void>
  /** Condition of a statement. */
  isOurs: RawBuilder<boolean>
}

/**
 * Null while another process has the lease or the task is paused. A row instead of a session lock, because poolers have
 * no sessions, and `isOurs` guards late writes.
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

/** Condition of a statement. */
export function isTurnFree(name: string): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from turn where name = ${name} and held_until > now())`
}
