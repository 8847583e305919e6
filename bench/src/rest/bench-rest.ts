import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { dataLayout } from '@tideport/dev-stack/data-directory/data-layout'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import pg from 'pg'
import type { BenchOptions } from '../system/options.ts'
import { startSystem } from '../system/start-system.ts'

const SECONDS = 60
/** Time to load modules, open pools, and run all periodic tasks once. */
const SETTLE_MS = 20_000
const SHOWN = 60

/** The idle system of `npm start`: CPU of each process, statements that find nothing, and messages of the broker. */
export async function benchRest({ profileDir }: BenchOptions): Promise<void> {
  await using system = await startSystem({ profileDir, prepare: countStatements })
  await statementsWithin(system.postgresUrl, SETTLE_MS)
  await using messages = await countMessages(system.natsUrl)
  const before = await system.cpu()
  const statements = await system.profiled(() => statementsWithin(system.postgresUrl, SECONDS * 1000))
  const after = await system.cpu()

  console.log(`\nAt rest for ${SECONDS} s`)
  let sum = 0
  for (const [name, us] of after) {
    const percent = (us - (before.get(name) ?? 0)) / SECONDS / 1e4
    sum += percent
    console.log(`  ${name.padEnd(44)} ${percent.toFixed(2).padStart(10)} % of a core`)
  }
  console.log(`  ${'all'.padEnd(44)} ${sum.toFixed(2).padStart(10)} % of a core`)
  const perSecond = (count: number) => (count / SECONDS).toFixed(2).padStart(10)
  const calls = statements.reduce((all, one) => all + one.calls, 0)
  const inVain = statements.filter(({ rows }) => rows === 0)
  console.log(`  ${'NATS messages'.padEnd(44)} ${perSecond(messages.count())} /s`)
  console.log(`  ${'statements'.padEnd(44)} ${perSecond(calls)} /s`)
  console.log(`  ${'… that find nothing'.padEnd(44)} ${perSecond(inVain.reduce((all, one) => all + one.calls, 0))} /s`)
  for (const { schema, text, calls, rows } of statements.slice(0, SHOWN)) {
    console.log(`  ${perSecond(calls)} /s ${rows === 0 ? 'finds nothing' : `${rows} rows`.padEnd(13)} ${schema.padEnd(8)} ${text.slice(0, 120)}`) // biome-ignore format: one line of a table
  }
}

async function countMessages(natsUrl: string) {
  const connection = await connect({ servers: natsUrl })
  let count = 0
  const callback = () => {
    count += 1
  }
  connection.subscribe('>', { callback })
  await connection.flush()
  return { count: () => count, [Symbol.asyncDispose]: () => connection.close() }
}

/** Creates the cluster before the stack starts, and configures it to count statements from the next start. */
async function countStatements(dataDir: string): Promise<void> {
  await using server = await launchPostgres({ dataDir: dataLayout(dataDir).postgres })
  await query(server.url, `alter system set shared_preload_libraries = 'pg_stat_statements'`)
}

interface Counted {
  text: string
  schema: string
  calls: number
  rows: number
}

async function statementsWithin(postgresUrl: string, milliseconds: number): Promise<Counted[]> {
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
