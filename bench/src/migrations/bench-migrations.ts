import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { migrationNames } from '@tideport/service-kit/postgres/migration-file'
import pg from 'pg'
import { timed } from '../measure.ts'
import { type BenchServer, startServer } from '../start-database.ts'
import { migrateInOneTransaction } from './in-one-transaction.ts'
import { type Subject, subjects } from './subjects.ts'
import { type Worst, writeAllTheTime } from './write-all-the-time.ts'

const ROWS = 300_000
const COPY = 'tideport_copy'

/**
 * Steps of every kind on a table of 300,000 rows that is written to all the time: how long each takes, and how long a
 * write took at most meanwhile. Beside it the same changes in one transaction, on a copy of the same database.
 */
export async function benchMigrations(): Promise<void> {
  await using server = await startServer()
  for (const subject of subjects) {
    await using folder = await growingFolder(subject)
    const url = server.urls[subject.schema]
    await migrate({ url, schema: subject.schema, folder: folder.url })
    await withClient(url, subject.schema, (client) => client.query(subject.seed, [ROWS]))
    console.log(`\n${subject.schema}, ${ROWS} rows`)
    await measureOneTransaction(server, subject)
    await using writers = await writeAllTheTime(url, subject)
    for (const name of await migrationNames(subject.steps)) {
      await folder.add(name)
      tell(name, await timed(() => migrate({ url, schema: subject.schema, folder: folder.url })), writers.takeWorst())
    }
  }
}

async function measureOneTransaction(server: BenchServer, subject: Subject): Promise<void> {
  await withClient(server.adminUrl, 'public', async (admin) => {
    await admin.query('checkpoint')
    await admin.query(`create database ${COPY} template tideport strategy file_copy`)
    await admin.query(`grant create on database ${COPY} to ${subject.schema}`)
  })
  const url = new URL(server.urls[subject.schema])
  url.pathname = `/${COPY}`
  {
    await using writers = await writeAllTheTime(url.href, subject)
    let deadlocks = 0
    const tookMs = await timed(async () => (deadlocks = await migrateInOneTransaction(url.href, subject)))
    tell(`all in one transaction, ${deadlocks} deadlocks lost`, tookMs, writers.takeWorst())
  }
  await withClient(server.adminUrl, 'public', (admin) => admin.query(`drop database ${COPY}`))
}

/** A copy of the subject's migrations to which the steps are added one after the other. */
async function growingFolder({ folder, steps }: Subject) {
  const directory = await mkdtemp(join(tmpdir(), 'tideport-migrations-'))
  const copy = (from: URL, name: string) => copyFile(new URL(`${name}.sql`, from), join(directory, `${name}.sql`))
  for (const name of await migrationNames(folder)) await copy(folder, name)
  return {
    url: pathToFileURL(`${directory}/`),
    add: (name: string) => copy(steps, name),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  }
}

async function withClient(connectionString: string, schema: string, work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client({ connectionString, options: `-c search_path=${schema}` })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function tell(name: string, tookMs: number, { longestMs, failed }: Worst): void {
  const worst = `longest write ${longestMs.toFixed(0).padStart(7)} ms${failed > 0 ? `, ${failed} failed` : ''}`
  console.log(`  ${name.padEnd(44)} ${(tookMs / 1000).toFixed(1).padStart(7)} s   ${worst}`)
}
