import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { Heartbeat } from '../context/wait-budget.ts'
import { isCancelled, isUnavailable } from './database-errors.ts'
import type { StatementName } from './statement-names.ts'
import { connectInBudget, queryInBudget } from './wait-for-postgres.ts'

/** A prepared `select *` whose table got a column since: "cached plan must not change result type". */
const STALE_PLAN = '0A000'

/**
 * A pool whose waits end with the wait budget of the request they are for, and whose statements with parameters have
 * names. A connection that failed is not used again: whatever is still asked of it, such as a rollback, fails at once,
 * and on its release it is closed.
 */
export function budgetedPool(pool: Pool, nameOf: StatementName): PostgresPool {
  const heartbeat = new Heartbeat()
  return {
    connect: async () => budgetedClient(await connectInBudget(pool, heartbeat), nameOf, heartbeat),
    end: () => pool.end(),
  } as PostgresPool
}

function budgetedClient(client: PoolClient, nameOf: StatementName, heartbeat: Heartbeat): PostgresPoolClient {
  let isBroken = false
  let isStale = false
  const query = async (text: unknown, values: readonly unknown[] = []) => {
    if (isBroken) throw new Error('Connection terminated')
    if (typeof text !== 'string') return client.query(text as never)
    const name = values.length > 0 ? nameOf(text) : undefined
    try {
      const statement = { text, values: [...values], ...(name === undefined ? {} : { name }) }
      return await queryInBudget(client, statement, heartbeat)
    } catch (error) {
      isBroken = isUnavailable(error) && !isCancelled(error)
      if (name === undefined || (error as { code?: unknown }).code !== STALE_PLAN) throw error
      isStale = true
      // Inside a transaction this fails too, and the first error is the one to report.
      return await queryInBudget(client, { text, values: [...values] }, heartbeat).catch(() => Promise.reject(error))
    }
  }
  return { query, release: () => client.release(isBroken || isStale) } as unknown as PostgresPoolClient
}
