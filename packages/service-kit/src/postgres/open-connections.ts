import type { Kysely } from 'kysely'
import { databaseAnswers } from './database.ts'

/** Enough for the first requests; more come up beside them. */
const CONNECTIONS = 4
const TRIES = 4

/**
 * Brings up a few of the pool's connections before anybody waits for one: a process that has just started is slow at
 * that, and its first requests would be refused. A Postgres that is down or silent does not keep the process from
 * starting: this resolves once each try has met the pool's limits, and never rejects.
 */
export async function openConnections<DB>(db: Kysely<DB>): Promise<void> {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(db)))
}

async function connect<DB>(db: Kysely<DB>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await databaseAnswers(db).catch(() => false)) return
  }
}
