import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'

/**
 * Longer than a batch of jobs takes, whose publications the broker has 5 s to answer. A leader that died is waited for
 * so long.
 */
const LEADERSHIP_SECONDS = 10

export interface DispatchLeadership {
  /** For another 10 s; false when somebody else has it. */
  renew(): Promise<boolean>
  release(): Promise<void>
}

/**
 * The right to enqueue due rows of one kind, or null while somebody else has it. A row, not a session's lock: behind a
 * pooler nobody has a session. Two who have it at once do no harm, for the broker takes a job once.
 */
export async function leadDispatch(db: Kysely<FilesDb>, kind: string): Promise<DispatchLeadership | null> {
  const holder = randomUUID()
  const until = sql`now() + make_interval(secs => ${LEADERSHIP_SECONDS})`
  const { rows } = await sql`
    insert into dispatch_leader (kind, holder, held_until) values (${kind}, ${holder}, ${until})
    on conflict (kind) do update set holder = excluded.holder, held_until = excluded.held_until
      where dispatch_leader.held_until <= now()
    returning kind`.execute(db)
  if (rows.length === 0) return null
  return {
    async renew() {
      const renewed = await sql`
        update dispatch_leader set held_until = ${until} where kind = ${kind} and holder = ${holder}
        returning kind`.execute(db)
      return renewed.rows.length > 0
    },
    async release() {
      await sql`update dispatch_leader set held_until = now() where kind = ${kind} and holder = ${holder}`.execute(db)
    },
  }
}
