import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuTime } from '../gateway/cpu-time.ts'
import { median } from '../measure.ts'
import type { BenchOptions } from '../system/options.ts'
import { cpuOfTree } from '../system/process-tree.ts'
import { type BenchFiles, startFiles } from './start-files.ts'
import { createUploader } from './upload-files.ts'

const FILES = 320
const ROUNDS = 3
const IN_FLIGHT = 32
const here = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * What an upload (request, PUT, confirm) costs Postgres and the files process, for one account and for 32: files a
 * second, CPU, statements, bytes of WAL, calls into the kernel that write. Compared with other trees, when their paths
 * are given, in turn.
 */
export async function benchStatements({ trees, inFlight = [IN_FLIGHT] }: BenchOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const forms: Form[] = []
  for (const tree of [...trees, here]) {
    const system = stack.use(await startFiles(tree))
    for (const accounts of [1, 32]) {
      const uploader = stack.use(await createUploader(system, accounts))
      forms.push({
        name: `${tree === here ? 'this tree' : tree}, accounts: ${accounts}`,
        accounts,
        system,
        uploader,
        rounds: [],
      })
    }
  }
  for (const { uploader } of forms) await uploader.upload(FILES / 2, IN_FLIGHT)
  for (const callers of inFlight) await compareForms(forms, callers)
  for (const { name, system } of forms.filter(({ accounts }) => accounts === 1)) await printStatements(name, system)
}

async function compareForms(forms: Form[], inFlight: number): Promise<void> {
  for (const form of forms) form.rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const form of forms) form.rounds.push(await measure(form, inFlight))
    console.log(
      `round ${round + 1}: ${forms.map(({ rounds }) => `${rounds.at(-1)?.perSecond.toFixed(0)}/s`).join(', ')}`,
    )
  }
  console.log(
    `\n${FILES} uploads of 1 KB, ${inFlight} at a time, medians of ${ROUNDS} rounds; ms and bytes are of one upload`,
  )
  for (const { name, rounds } of forms) {
    const figure = (of: keyof Round) => median(rounds.map((round) => round[of]))
    console.log(`  ${name}
    ${figure('perSecond').toFixed(0)} files/s, CPU: files ${figure('filesMs').toFixed(2)} ms, Postgres ${figure('postgresMs').toFixed(2)} ms,
    ${figure('statements').toFixed(2)} statements, ${figure('walBytes').toFixed(0)} bytes of WAL in ${figure('walRecords').toFixed(1)} records, ${figure('writes').toFixed(2)} writes of files`) // biome-ignore format: lines of a table
  }
}

interface Form {
  name: string
  accounts: number
  system: BenchFiles
  uploader: Awaited<ReturnType<typeof createUploader>>
  rounds: Round[]
}

interface Round {
  perSecond: number
  filesMs: number
  postgresMs: number
  statements: number
  walBytes: number
  walRecords: number
  /** Calls into the kernel that write, of the files process. */
  writes: number
}

const ofService = `from pg_stat_statements(true) where userid <> 'postgres'::regrole`

async function measure({ system: { admin, files, postgres }, uploader }: Form, inFlight: number): Promise<Round> {
  // Pages are written whole into the WAL after a checkpoint, which would count for whoever comes next.
  await admin.query('checkpoint')
  await delay(500)
  await admin.query('select pg_stat_statements_reset()')
  const cpu = () => Promise.all([cpuTime(files.pid), cpuOfTree(postgres.pid as number)])
  const [filesBefore = 0, postgresBefore = 0] = await cpu()
  const writesBefore = await writesOf(files.pid)
  const startedAt = performance.now()
  await uploader.upload(FILES, inFlight)
  const seconds = (performance.now() - startedAt) / 1000
  const [filesAfter = 0, postgresAfter = 0] = await cpu()
  const writesAfter = await writesOf(files.pid)
  const { rows } = await admin.query(`select sum(calls) as statements, sum(wal_bytes) as wal_bytes,
    sum(wal_records) as wal_records ${ofService}`)
  const each = (sum: unknown) => Number(sum) / FILES
  return {
    perSecond: FILES / seconds,
    filesMs: (filesAfter - filesBefore) / 1000 / FILES,
    postgresMs: (postgresAfter - postgresBefore) / 1000 / FILES,
    statements: each(rows[0].statements),
    walBytes: each(rows[0].wal_bytes),
    walRecords: each(rows[0].wal_records),
    writes: each(writesAfter - writesBefore),
  }
}

async function writesOf(pid: number): Promise<number> {
  return Number(/^syscw: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1])
}

async function printStatements(name: string, { admin }: BenchFiles): Promise<void> {
  const { rows } = await admin.query(`
    select calls, mean_exec_time * 1000 as us, wal_bytes / calls as wal, wal_records::float / calls as records,
      regexp_replace(query, '\\s+', ' ', 'g') as query ${ofService} and calls > 20 order by total_exec_time desc limit 16`)
  console.log(`\n${name}: calls; µs, WAL bytes and records of one`)
  for (const { calls, us, wal, records, query } of rows) {
    console.log(`  ${calls.padStart(6)} ${us.toFixed(0).padStart(6)} ${Number(wal).toFixed(0).padStart(6)} ${records.toFixed(1).padStart(5)}  ${query.slice(0, 110)}`) // biome-ignore format: one line of a table
  }
}
