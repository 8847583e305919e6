import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { Pool } from 'undici'
import { compare, print, type Variant } from '../measure.ts'
import { type Account, openAccount, put } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { withCpu } from '../system/cpu-per-file.ts'
import type { BenchOptions } from '../system/options.ts'
import { signUrl } from '../system/sign-url.ts'
import { type System, startSystem } from '../system/start-system.ts'

const ROUNDS = 3
const FILES = 500
/** The default number of copies that a worker has in flight. */
const IN_FLIGHT = 32
const small = Buffer.alloc(1024, 7)
const LARGE_BYTES = 1024 ** 3
const LOOK_MS = 20

const settings = { OPEN_UPLOADS_MAX: '10000000', HOT_RETENTION_SECONDS: '86400', SYNC_CONCURRENCY: String(IN_FLIGHT) }
const run = promisify(execFile)

/**
 * Copies from the hot tier to a network: 1 KB files with one and three workers, compared with a bare loop with the same
 * fsyncs and with only the fsyncs; and 1 GiB, compared with coreutils, with the worker's peak memory.
 */
export async function benchSync({ profileDir }: BenchOptions): Promise<void> {
  for (const replicas of [1, 3]) {
    await using stack = new AsyncDisposableStack()
    const dir = profileDir && join(profileDir, `${replicas} workers`)
    const system = stack.use(await startSystem({ profileDir: dir, env: settings, replicas: { sync: replicas } }))
    // On the same disk as the network, and deleted with the system.
    const copies = await mkdtemp(join(dirname(system.networkDir), 'bench-'))
    stack.defer(() => rm(copies, { recursive: true, force: true }))
    const database = stack.use(await openCopies(system.postgresUrl))
    const account = stack.use(await openAccount(system.gatewayUrl, 'bench'))
    system.pause()
    await benchSmall({ system, account, database, copies, replicas })
    if (replicas === 1) await benchLarge({ system, account, database, copies, replicas })
  }
}

interface Parts {
  system: System
  account: Account
  database: Copies
  copies: string
  replicas: number
}

async function benchSmall({ system, account, database, copies, replicas }: Parts): Promise<void> {
  const store = new Pool(system.s3.endpoint, { connections: 64, pipelining: 1 })
  const keys = Array.from({ length: FILES }, (_, index) => `bare/${index}`)
  for (const key of keys) await put(store, new URL(signUrl(system.s3, 'PUT', key)), small)
  const load = { count: FILES, inFlight: IN_FLIGHT * replicas }
  const bare: Variant = {
    name: 'bare loop',
    run: () => ratePerSecond(load, async (index) => copyDurably(copies, await get(store, signUrl(system.s3, 'GET', keys[index] as string)))), // biome-ignore format: one step
  }
  const disk: Variant = { name: 'its fsyncs alone', run: () => ratePerSecond(load, () => copyDurably(copies, small)) }
  const sync = withCpu(system, FILES, {
    name: `sync, ${replicas} of them`,
    async run() {
      await ratePerSecond({ count: FILES, inFlight: 32 }, () => account.upload(small))
      return FILES / (await secondsToStore(system, database))
    },
  })
  const rates = await system.profiled(() => compare([bare, disk, sync.variant], ROUNDS))
  print('Copies of 1 KB files', 'files/s', rates)
  sync.tell()
  await store.close()
}

async function get(store: Pool, url: string): Promise<Buffer> {
  const { statusCode, body } = await store.request({ method: 'GET', path: url.slice(new URL(url).origin.length) })
  if (statusCode !== 200) throw new Error(`A GET returned ${statusCode}`)
  return Buffer.from(await body.arrayBuffer())
}

async function benchLarge({ system, account, database, copies }: Parts): Promise<void> {
  const [source, target] = [join(copies, 'large'), join(copies, 'copy')]
  const bytes = Buffer.alloc(LARGE_BYTES, 7)
  await writeFile(source, bytes)
  const coreutils: Variant = {
    name: 'sha256sum, then dd with fsync',
    async run() {
      const startedAt = performance.now()
      await run('sha256sum', [source])
      await run('dd', [`if=${source}`, `of=${target}`, 'bs=256K', 'conv=fsync', 'status=none'])
      return LARGE_BYTES / 1e3 / (performance.now() - startedAt)
    },
  }
  const [worker] = system.processes.filter(({ name }) => name === 'sync')
  const pid = worker?.pid ?? 0
  const peaks: number[] = []
  const sync: Variant = {
    name: 'sync',
    async run() {
      await account.upload(bytes)
      await writeFile(`/proc/${pid}/clear_refs`, '5')
      const rate = LARGE_BYTES / 1e6 / (await secondsToStore(system, database))
      peaks.push(await peakBytes(pid))
      return rate
    },
  }
  print('One file of 1 GiB', 'MB/s', await compare([coreutils, sync], ROUNDS))
  console.log(`  peak of memory of sync: ${(Math.max(...peaks) / 1e6).toFixed(0)} MB`)
}

async function secondsToStore(system: System, database: Copies): Promise<number> {
  const startedAt = performance.now()
  system.resume(['sync'])
  while (await database.isAnyPlanned()) await delay(LOOK_MS)
  system.pause(['sync'])
  return (performance.now() - startedAt) / 1000
}

type Copies = Awaited<ReturnType<typeof openCopies>>

async function openCopies(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return {
    async isAnyPlanned(): Promise<boolean> {
      const { rows } = await client.query(`select exists (select from files.copy where state = 'planned') as yes`)
      return rows[0].yes
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) * 1024
}

/**
 * A durable copy of a small file with one sync for each part, which takes four fsyncs. The embedded network needs
 * fewer, but the form stays the same so that ratios remain comparable.
 */
async function copyDurably(dir: string, bytes: Uint8Array): Promise<void> {
  const id = createHash('sha256').update(bytes).update(randomUUID()).digest('hex')
  const [staged, own] = [join(dir, `staged-${id}`), join(dir, id)]
  await writeSynced(staged, bytes)
  await writeSynced(`${staged}.dag`, bytes.subarray(0, 100))
  await mkdir(own)
  await rename(`${staged}.dag`, join(own, 'content.dag'))
  await rename(staged, join(own, 'content'))
  await syncDirectory(own)
  await syncDirectory(dir)
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(path, 'wx')
  await handle.writeFile(bytes)
  await handle.sync()
}

async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
