import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import type { Patience, Pulse } from '../context/patience.ts'
import { currentPatience } from '../context/request-context.ts'

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
  try {
    const client = await unlessSilent(connecting, patience, pulse, noConnection)
    // Whoever waits while this one got it did so behind a new connection, or one that has just been answered.
    pulse.beat()
    return client
  } catch (error) {
    // One that comes up after all is for others.
    connecting.then((client) => client.release(), ignore)
    throw error
  }
}

/**
 * Rejects when the answer takes longer than the pool's limit, or the silence longer than the request's patience; not sent
 * when none is left. A connection whose answer was given up is good for nothing more.
 */
export async function queryPatiently(client: PoolClient, statement: QueryConfig, pulse: Pulse): Promise<QueryResult> {
  const patience = currentPatience()
  if (patience?.leftMs === 0) throw noAnswer()
  const asking = client.query(statement)
  const result = await (patience ? unlessSilent(asking, patience, pulse, noAnswer) : asking)
  pulse.beat()
  return result
}

async function unlessSilent<T>(waiting: Promise<T>, patience: Patience, pulse: Pulse, late: () => Error): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  return await patience.spendSilence(Promise.race([waiting, givenUp]), pulse, () => reject(late()))
}

/** What the pool says when its own limit is over. */
const noConnection = () => new Error('timeout exceeded when trying to connect')

/** What a connection says when its own limit is over. */
const noAnswer = () => new Error('Query read timeout')

const ignore = () => {}
