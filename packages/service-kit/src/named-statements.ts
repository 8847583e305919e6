import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { isCancelled, isUnavailable } from './database-errors.ts'
import { Pulse } from './patience.ts'
import { connectPatiently, queryPatiently } from './wait-for-postgres.ts'

const MAX_NAMES = 1000
/** A prepared `select *` whose table got a column since: "cached plan must not change result type". */
const STALE_PLAN = '0A000'

/**
 * Gives every statement with parameters a name that depends on its text alone, so Postgres plans it once a connection
 * (Kysely names none; measured at 1.7 times the throughput). A connection that failed is not used again: whatever is
 * still asked of it, such as a rollback, fails at once, and on its release it is closed.
 */
export function nameStatements(pool: Pool): PostgresPool {
  const names = new Map<string, string>()
  const pulse = new Pulse()
  return {
    connect: async () => nameStatementsOf(await connectPatiently(pool, pulse), names, pulse),
    end: () => pool.end(),
  } as PostgresPool
}

function nameStatementsOf(client: PoolClient, names: Map<string, string>, pulse: Pulse): PostgresPoolClient {
  let isBroken = false
  let isStale = false
  const query = async (text: unknown, values: readonly unknown[] = []) => {
    if (isBroken) throw new Error('Connection terminated')
    if (typeof text !== 'string') return client.query(text as never)
    const name = values.length > 0 ? nameOf(text, names) : undefined
    try {
      const statement = { text, values: [...values], ...(name === undefined ? {} : { name }) }
      return await queryPatiently(client, statement, pulse)
    } catch (error) {
      isBroken = isUnavailable(error) && !isCancelled(error)
      if (name === undefined || (error as { code?: unknown }).code !== STALE_PLAN) throw error
      isStale = true
      // Inside a transaction this fails too, and the first error is the one to tell.
      return await queryPatiently(client, { text, values: [...values] }, pulse).catch(() => Promise.reject(error))
    }
  }
  return { query, release: () => client.release(isBroken || isStale) } as unknown as PostgresPoolClient
}

/** Statements whose text varies without end (lists of unknown length) must not fill the server's memory. */
function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMES) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}
