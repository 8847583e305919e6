import type { Kysely } from 'kysely'
import { databaseAnswers } from './database.ts'

/** Enough for the first requests; the pool opens more meanwhile. */
const CONNECTIONS = 4
const TRIES = 4

/** Opens a few connections before the first requests; a new process would otherwise refuse them. Never rejects. */
export async function openConnections<DB>(db: Kysely<DB>): Promise<void> {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(db)))
}

async function connect<DB>(db: Kysely<DB>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await databaseAnswers(db).catch(() => false)) return
  }
}
