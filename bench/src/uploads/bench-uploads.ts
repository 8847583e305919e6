import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { Pool } from 'undici'
import { type Launched, launch } from '../gateway/launch.ts'
import { compare, print, type Variant } from '../measure.ts'
import { type Account, openAccount, put } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { withCpu } from '../system/cpu-per-file.ts'
import type { BenchOptions } from '../system/options.ts'
import type { Bucket } from '../system/sign-url.ts'
import { type System, startSystem } from '../system/start-system.ts'

const ROUNDS = 5
const LOAD = { count: 500, inFlight: 32 }
const ACCOUNTS = 32
const bytes = Buffer.alloc(1024, 7)

/** No limit is met, and nothing leaves the hot tier meanwhile. */
const settings = { OPEN_UPLOADS_MAX: '10000000', HOT_RETENTION_SECONDS: '86400', SETTLE_SECONDS: '3600' }

/**
 * Uploads of 1 KB, 32 in flight, with an API key through the gateway, on versitygw and on a store in memory: request,
 * PUT and confirm, also with one PUT that makes the object; with the workers at work; for one account and for 32; and the request alone. Beside them a bare
 * server that makes one row and one presigned URL, and a PUT to the same store.
 */
export async function benchUploads({ profileDir }: BenchOptions): Promise<void> {
  for (const kind of ['versitygw', 'a store in memory'] as const) {
    await using stack = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
    stack.defer(() => rm(dir, { recursive: true, force: true }))
    const memory = kind === 'versitygw' ? undefined : stack.use(await startMain('memory-store', dir))
    const env = { ...settings, ...(memory && { S3_ENDPOINT: memory.url, S3_PUBLIC_ENDPOINT: memory.url }) }
    const system = stack.use(await startSystem({ profileDir: profileDir && join(profileDir, kind), env }))
    const store = { ...system.s3, ...(memory && { endpoint: memory.url }) }
    await measureOn(kind, system, await openParts(stack, dir, system, store))
  }
}

interface Parts {
  accounts: Account[]
  bare: Pool
  store: Pool
}

async function openParts(stack: AsyncDisposableStack, dir: string, system: System, bucket: Bucket): Promise<Parts> {
  const server = stack.use(await startMain('bare', dir, system.postgresUrl, JSON.stringify(bucket)))
  const open = (url: string) => stack.adopt(new Pool(url, { connections: 64, pipelining: 1 }), (pool) => pool.close())
  const accounts: Account[] = []
  for (let index = 0; index < ACCOUNTS; index += 1)
    accounts.push(stack.use(await openAccount(system.gatewayUrl, `bench-${index}`)))
  return { accounts, bare: open(server.url), store: open(bucket.endpoint) }
}

async function measureOn(kind: string, system: System, { accounts, bare, store }: Parts): Promise<void> {
  const [one] = accounts as [Account]
  const whole = withCpu(system, LOAD.count, {
    name: 'request, PUT and confirm',
    run: () => ratePerSecond(LOAD, () => one.upload(bytes, {})),
  })
  const putOnce = withCpu(system, LOAD.count, {
    name: '… with put: once',
    run: () => ratePerSecond(LOAD, () => one.upload(bytes)),
  })
  const bareUpload: Variant = {
    name: 'bare request and PUT',
    run: () => ratePerSecond(LOAD, async () => put(store, new URL(await askBare(bare)), bytes)),
  }
  const shared: Variant = {
    name: `… of ${ACCOUNTS} accounts`,
    run: () => ratePerSecond(LOAD, (index) => (accounts[index % ACCOUNTS] as Account).upload(bytes, {})),
  }
  const working: Variant = {
    name: '… while sync, eviction and webhooks work',
    async run() {
      system.resume()
      const rate = await ratePerSecond(LOAD, () => one.upload(bytes, {}))
      system.pause()
      return rate
    },
  }
  system.pause()
  const uploads = await system.profiled(() =>
    compare([bareUpload, whole.variant, putOnce.variant, shared, working], ROUNDS),
  )
  print(`An upload, on ${kind}`, 'files/s', uploads)
  whole.tell()
  putOnce.tell()

  const request = withCpu(system, LOAD.count, {
    name: 'request',
    run: () => ratePerSecond(LOAD, () => one.request(bytes.length)),
  })
  const bareRequest: Variant = { name: 'bare request', run: () => ratePerSecond(LOAD, () => askBare(bare)) }
  print(`A request to upload, on ${kind}`, 'files/s', await compare([bareRequest, request.variant], ROUNDS))
  request.tell()
}

async function askBare(bare: Pool): Promise<string> {
  const body = JSON.stringify({ name: 'bench.bin', sizeBytes: bytes.length })
  const { statusCode, body: answer } = await bare.request({ method: 'POST', path: '/', body })
  if (statusCode !== 200) throw new Error(`The bare server answered ${statusCode}`)
  return ((await answer.json()) as { uploadUrl: string }).uploadUrl
}

async function startMain(name: 'bare' | 'memory-store', dir: string, ...args: string[]): Promise<Launched> {
  const [port, file] = [await freePort(), fileURLToPath(new URL(`${name}-main.ts`, import.meta.url))]
  const options = { command: process.execPath, args: [file, String(port), ...args], port }
  return await launch({ ...options, logFile: join(dir, `${name}.log`) })
}
