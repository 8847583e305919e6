import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { currentWaitBudget } from '../context/request-context.ts'
import { Heartbeat, type WaitBudget } from '../context/wait-budget.ts'
import { isCancelled, isUnavailable } from './database-errors.ts'
import type { StatementName } from './statement-names.ts'

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

/**
 * A free or a new connection. Rejects when there is none within the pool's limit, or, inside a request, when Postgres
 * was silent towards all of the pool for as long as the request may still wait: a pool that is busy moves on, one whose
 * server is down does not.
 */
async function connectInBudget(pool: Pool, heartbeat: Heartbeat): Promise<PoolClient> {
  const waitBudget = currentWaitBudget()
  if (waitBudget?.leftMs === 0) throw noConnection()
  // One that idles, and nobody waits for, is had at once, whatever Postgres does.
  if (waitBudget === undefined || pool.idleCount > pool.waitingCount) return await pool.connect()
  const connecting = pool.connect()
  try {
    const client = await unlessSilent(connecting, waitBudget, heartbeat, noConnection)
    // Whoever waits while this one got it did so behind a new connection, or one that has just been answered.
    heartbeat.beat()
    return client
  } catch (error) {
    // One that comes up after all is for others.
    connecting.then((client) => client.release(), ignore)
    throw error
  }
}

/**
 * Rejects when the answer takes longer than the pool's limit, or the silence longer than what is left of the request's
 * wait budget; not sent when none is left. A connection whose answer was given up is good for nothing more.
 */
async function queryInBudget(client: PoolClient, statement: QueryConfig, heartbeat: Heartbeat): Promise<QueryResult> {
  const waitBudget = currentWaitBudget()
  if (waitBudget?.leftMs === 0) throw noAnswer()
  const asking = client.query(statement)
  const result = await (waitBudget ? unlessSilent(asking, waitBudget, heartbeat, noAnswer) : asking)
  heartbeat.beat()
  return result
}

async function unlessSilent<T>(
  waiting: Promise<T>,
  waitBudget: WaitBudget,
  heartbeat: Heartbeat,
  late: () => Error,
): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  return await waitBudget.spendSilence(Promise.race([waiting, givenUp]), heartbeat, () => reject(late()))
}

/** What the pool says when its own limit is over. */
const noConnection = () => new Error('timeout exceeded when trying to connect')

/** What a connection says when its own limit is over. */
const noAnswer = () => new Error('Query read timeout')

const ignore = () => {}
