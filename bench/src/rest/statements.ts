import { setTimeout as delay } from 'node:timers/promises'
import { dataLayout } from '@tideport/dev-stack/data-directory/data-layout'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import pg from 'pg'

/** Makes the cluster of a stack that is not started yet, and has it count statements from its next start on. */
export async function countStatements(dataDir: string): Promise<void> {
  await using server = await launchPostgres({ dataDir: dataLayout(dataDir).postgres })
  await query(server.url, `alter system set shared_preload_libraries = 'pg_stat_statements'`)
}

/** A statement that was run meanwhile: how often, and how many rows all of its runs found or changed. */
export interface Counted {
  text: string
  schema: string
  calls: number
  rows: number
}

/** Counts what everybody but the asker runs in so much time, most frequent first. */
export async function statementsWithin(postgresUrl: string, milliseconds: number): Promise<Counted[]> {
  await query(postgresUrl, 'create extension if not exists pg_stat_statements')
  await query(postgresUrl, 'select pg_stat_statements_reset()')
  await delay(milliseconds)
  return await query<Counted>(
    postgresUrl,
    `select regexp_replace(query, '\\s+', ' ', 'g') as text, rolname as schema, calls::int, rows::int
     from pg_stat_statements join pg_roles on pg_roles.oid = userid
     where not rolsuper and toplevel order by calls desc, text`,
  )
}

async function query<Row extends object>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
