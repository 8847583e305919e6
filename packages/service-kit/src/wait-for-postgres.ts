import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { currentPatience } from './patience.ts'

/** A free or a new connection. Rejects when there is none within the pool's limit or the request's patience. */
export async function connectPatiently(pool: Pool): Promise<PoolClient> {
  const patience = currentPatience()
  if (patience === undefined) return await pool.connect()
  if (patience.leftMs === 0) throw noConnection()
  const connecting = pool.connect()
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(noConnection()), patience.leftMs)
  try {
    return await patience.spend(() => Promise.race([connecting, givenUp]))
  } catch (error) {
    // One that comes up after all is for others.
    connecting.then((client) => client.release(), ignore)
    throw error
  } finally {
    clearTimeout(timer)
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
