import pg from 'pg'
import { findProcess, signalProcess, type TestStack } from './processes.ts'

/**
 * Makes Postgres hang: all its processes stand still, connections stay open, new ones are accepted by the kernel alone.
 * Disposing lets them go on.
 */
export async function holdPostgres(stack: TestStack): Promise<AsyncDisposable> {
  const postmaster = findProcess(stack, 'postgres')
  const client = new pg.Client(stack.describe().postgresUrl)
  await client.connect()
  // First the one that makes new processes, so that the list is of all there are.
  signalProcess(postmaster, 'SIGSTOP')
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  const signalAll = (signal: NodeJS.Signals) => {
    for (const { pid } of [...rows, postmaster]) signalProcess({ ...postmaster, pid }, signal)
  }
  signalAll('SIGSTOP')
  return {
    async [Symbol.asyncDispose]() {
      signalAll('SIGCONT')
      await client.end()
    },
  }
}
