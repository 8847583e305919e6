import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { currentWaitBudget } from '../context/request-context.ts'
import { Heartbeat, type WaitBudget } from '../context/wait-budget.ts'
import { isCancelled, isUnavailable } from './database-errors.ts'

/** "cached plan must not change result type": the table of a prepared `select *` has a new column. */
const STALE_PLAN = '0A000'

/**
 * Prepares statements with parameters under a name. Limits waits to the request's wait budget. Closes a failed
 * connection on release.
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
      // Inside a transaction the retry fails too; the first error is reported.
      return await queryInBudget(client, { text, values: [...values] }, heartbeat).catch(() => Promise.reject(error))
    }
  }
  return { query, release: () => client.release(isBroken || isStale) } as unknown as PostgresPoolClient
}

/** Inside a request, fails when Postgres is silent for the entire wait budget. A busy pool is not silent. */
async function connectInBudget(pool: Pool, heartbeat: Heartbeat): Promise<PoolClient> {
  const waitBudget = currentWaitBudget()
  if (waitBudget?.leftMs === 0) throw noConnection()
  // The pool has an idle connection that nobody waits for and returns it immediately, even while Postgres is down.
  if (waitBudget === undefined || pool.idleCount > pool.waitingCount) return await pool.connect()
  const connecting = pool.connect()
  try {
    const client = await unlessSilent(connecting, waitBudget, heartbeat, noConnection)
    // The connection is new or has just received a response, so Postgres is not silent for those who still wait.
    heartbeat.beat()
    return client
  } catch (error) {
    // A connection that opens later returns to the pool.
    connecting.then((client) => client.release(), ignore)
    throw error
  }
}

/**
 * Fails after the pool's `query_timeout`, or when Postgres is silent for the remaining wait budget. The connection is
 * then unusable.
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

const noConnection = () => new Error('timeout exceeded when trying to connect')

const noAnswer = () => new Error('Query read timeout')

const ignore = () => {}

const MAX_NAMES = 1000

/** The name of a prepared statement. A statement without a name is planned on each execution. */
type StatementName = (text: string) => string | undefined

/**
 * Each text has one name, so a connection plans it only once: 1.7 times the throughput. At most 1000 names, to limit
 * the memory of the server.
 */
export function statementNames(): StatementName {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MAX_NAMES) return known
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    names.set(text, name)
    return name
  }
}
