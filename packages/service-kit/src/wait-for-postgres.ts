import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { currentPatience, type Pulse } from './patience.ts'

/**
 * A free or a new connection. Rejects when there is none within the pool's limit, or, inside a request, when Postgres was
 * silent towards all of the pool for as long as the request has patience: a pool that is busy moves on, one whose server is
 * down does not.
 */
export async function connectPatiently(pool: Pool, pulse: Pulse): Promise<PoolClient> {
  const patience = currentPatience()
  if (patience === undefined) return await pool.connect()
  if (patience.leftMs === 0) throw noConnection()
  const connecting = pool.connect()
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  try {
    const client = await patience.spendInQueue(Promise.race([connecting, givenUp]), pulse, () => reject(noConnection()))
    // Whoever waits while this one got it did so behind a new connection, or one that has just been answered.
    pulse.beat()
    return client
  } catch (error) {
    // One that comes up after all is for others.
    connecting.then((client) => client.release(), ignore)
    throw error
  }
}

/** Rejects when the answer takes longer than the pool's limit or the request's patience; not sent when none is left. */
export async function queryPatiently(client: PoolClient, statement: QueryConfig): Promise<QueryResult> {
  const patience = currentPatience()
  if (patience === undefined) return await client.query(statement)
  if (patience.leftMs === 0) throw new Error('Query read timeout')
  const timed = { ...statement, query_timeout: patience.leftMs }
  return await patience.spend(() => client.query(timed))
}

/** What the pool says when its own limit is over. */
const noConnection = () => new Error('timeout exceeded when trying to connect')

const ignore = () => {}
