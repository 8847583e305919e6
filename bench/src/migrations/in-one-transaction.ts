import { type Migration, migrationNames, readMigration } from '@tideport/service-kit/postgres/migration-file'
import pg from 'pg'
import type { Subject } from './subjects.ts'

const DEADLOCK = '40P01'

/**
 * The subject's steps, all in one transaction and without `concurrently`: what the job did before ADR 0034.
 * Repeated while it loses a deadlock with those who write; answers how often it did.
 */
export async function migrateInOneTransaction(connectionString: string, { schema, steps }: Subject) {
  const client = new pg.Client({ connectionString, options: `-c search_path=${schema}` })
  await client.connect()
  const names = await migrationNames(steps)
  try {
    for (let deadlocks = 0; ; deadlocks += 1) {
      try {
        await client.query('begin')
        for (const name of names) await runPlainly(client, await readMigration(steps, name))
        await client.query('commit')
        return deadlocks
      } catch (error) {
        await client.query('rollback')
        if ((error as { code?: string }).code !== DEADLOCK) throw error
      }
    }
  } finally {
    await client.end()
  }
}

async function runPlainly(client: pg.Client, { kind, sql }: Migration): Promise<void> {
  if (kind !== 'batches') return void (await client.query(sql.replaceAll(/ concurrently/g, '')))
  for (let last: unknown = null, isOver = false; !isOver; ) {
    const { rows } = await client.query(sql, sql.includes('$1') ? [last] : [])
    isOver = rows.length === 0
    last = rows.at(-1)?.last
  }
}
