import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { currentWaitBudget } from '../context/request-context.ts'
import { Heartbeat, type WaitBudget } from '../context/wait-budget.ts'
import { isCancelled, isUnavailable } from './database-errors.ts'

/** A prepared `select *` whose table got a column since: "cached plan must not change result type". */
const STALE_PLAN = '0A000'

/**
 * Names statements with parameters; waits end with the request's wait budget. A failed connection is closed on
 * release.
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

/** Inside a request, fails when Postgres is silent for the whole wait budget; a busy pool moves on. */
async function connectInBudget(pool: Pool, heartbeat: Heartbeat): Promise<PoolClient> {
  const waitBudget = currentWaitBudget()
  if (waitBudget?.leftMs === 0) throw noConnection()
  // One that idles, and nobody waits for, is had at once, whatever Postgres does.
  if (waitBudget === undefined || pool.idleCount > pool.waitingCount) return await pool.connect()
  const connecting = pool.connect()
  try {
    const client = await unlessSilent(connecting, waitBudget, heartbeat, noConnection)
    // A caller that still waits is behind a new connection, or behind one that has just received a response.
    heartbeat.beat()
    return client
  } catch (error) {
    // One that comes up after all is for others.
    connecting.then((client) => client.release(), ignore)
    throw error
  }
}

/**
 * Fails after the pool's limit, or after as much silence as the wait budget has. The connection is then of no further
 * use.
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

/** The name a statement is prepared under on each connection; without one it is planned each time. */
type StatementName = (text: string) => string | undefined

/**
 * By text alone, planned once for a connection: 1.7 times the throughput. At most a thousand, for the server's
 * memory.
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
