import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Subject } from './subjects.ts'

const WRITERS = 4
const PAUSE_MS = 5

export interface Worst {
  longestMs: number
  failed: number
}

/** Writes to rows of the whole table until disposed. */
export async function writeAllTheTime(connectionString: string, { schema, ids, writes }: Subject) {
  const pool = new pg.Pool({ connectionString, max: WRITERS, options: `-c search_path=${schema}` })
  const { rows } = await pool.query<{ id: string }>(ids)
  let [longestMs, failed, isOver] = [0, 0, false]
  const write = async (_: unknown, writer: number) => {
    for (let turn = writer; !isOver; turn += 1) {
      const startedAt = performance.now()
      const statement = writes[turn % writes.length] as string
      await pool.query(statement, [rows[(turn * 7919) % rows.length]?.id]).catch(() => (failed += 1))
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      await delay(PAUSE_MS)
    }
  }
  const writing = Promise.all(Array.from({ length: WRITERS }, write))
  return {
    /** The longest that any write took since this was asked before, in milliseconds, and how many failed. */
    takeWorst(): Worst {
      const worst = { longestMs, failed }
      longestMs = failed = 0
      return worst
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await writing
      await pool.end()
    },
  }
}
