import pg from 'pg'
import { findProcess, signalProcess, type TestStack } from './processes.ts'

/**
 * Makes Postgres unresponsive: stops all its processes. Connections stay open, and only the kernel accepts new ones.
 * Disposing continues the processes.
 */
export async function holdPostgres(stack: TestStack): Promise<AsyncDisposable> {
  const postmaster = findProcess(stack, 'postgres')
  const client = new pg.Client(stack.describe().postgresUrl)
  await client.connect()
  // First the postmaster, which starts new processes, so that the list is complete.
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
