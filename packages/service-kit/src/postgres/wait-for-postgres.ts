import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { currentWaitBudget } from '../context/request-context.ts'
import type { Heartbeat, WaitBudget } from '../context/wait-budget.ts'

/**
 * A free or a new connection. Rejects when there is none within the pool's limit, or, inside a request, when Postgres
 * was silent towards all of the pool for as long as the request may still wait: a pool that is busy moves on, one whose
 * server is down does not.
 */
export async function connectInBudget(pool: Pool, heartbeat: Heartbeat): Promise<PoolClient> {
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
export async function queryInBudget(
  client: PoolClient,
  statement: QueryConfig,
  heartbeat: Heartbeat,
): Promise<QueryResult> {
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
