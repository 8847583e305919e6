import { randomInt } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { Pool } from 'undici'
import { compare, print, type Variant } from '../measure.ts'
import { type Account, openAccount, put } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { withCpu } from '../system/cpu-per-file.ts'
import type { BenchOptions } from '../system/options.ts'
import { signUrl } from '../system/sign-url.ts'
import { startNginx } from '../system/start-nginx.ts'
import { startSystem } from '../system/start-system.ts'

const ROUNDS = 5
const FILE_BYTES = 1024 ** 3
const RANGE_BYTES = 64 * 1024
const RANGES = { count: 400, inFlight: 8 }
const LOOK_MS = 250

const settings = { HOT_RETENTION_SECONDS: '1', DOWNLOAD_URL_SECONDS: '1', CLOCK_SKEW_SECONDS: '0' }

/** Compares public reads of a cold 1 GiB file with nginx, and random and consecutive 64 KiB ranges with versitygw. */
export async function benchReads({ profileDir }: BenchOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const system = stack.use(await startSystem({ profileDir, env: settings }))
  const account = stack.use(await openAccount(system.gatewayUrl, 'bench'))
  const bytes = Buffer.alloc(FILE_BYTES, 'The quick brown fox jumps over the lazy dog. ')
  const [fileId, store] = [await account.upload(bytes), new Pool(system.s3.endpoint, { connections: 64 })]
  const stored = new URL(signUrl(system.s3, 'GET', 'bare/large'))
  await put(store, new URL(signUrl(system.s3, 'PUT', 'bare/large')), bytes)
  await store.close()
  const path = await untilCold(account, fileId, system.networkDir)
  const nginx = stack.use(await startNginx({ port: await freePort(), root: system.networkDir, dir }))

  const publicUrl = new URL(`/api/public/files/${fileId}`, system.gatewayUrl)
  const whole = withCpu(system, 1, { name: 'public read', run: () => megabytesPerSecond(publicUrl) })
  const bare: Variant = { name: 'nginx', run: () => megabytesPerSecond(new URL(path, nginx.url)) }
  const rates = await system.profiled(() => compare([bare, whole.variant], ROUNDS))
  print('A cold file of 1 GiB', 'MB/s', rates)
  whole.tell()

  for (const [how, starts] of Object.entries({ 'at random': anywhere, 'that follow each other': following })) {
    const ofStore: Variant = { name: 'versitygw', run: () => rangesPerSecond(stored, starts()) }
    const ranges = withCpu(system, RANGES.count, {
      name: 'public read of a range',
      run: () => rangesPerSecond(publicUrl, starts()),
    })
    print(`Ranges of 64 KiB ${how}, 8 in flight`, '/s', await compare([ofStore, ranges.variant], ROUNDS))
    ranges.tell()
  }
}

const anywhere = () => Array.from({ length: RANGES.count }, () => randomInt(FILE_BYTES - RANGE_BYTES))

/** Each reader in flight reads its own section. */
function following(): number[] {
  const { count, inFlight } = RANGES
  const stretchBytes = (count / inFlight) * RANGE_BYTES
  const begins = Array.from({ length: inFlight }, () => randomInt(FILE_BYTES - stretchBytes))
  return Array.from({ length: count }, (_, index) => {
    const reader = begins[index % inFlight] ?? 0
    return reader + Math.floor(index / inFlight) * RANGE_BYTES
  })
}

async function untilCold(account: Account, fileId: string, networkDir: string) {
  for (;;) {
    const file = await account.call<{ status: string; storageNetworkBlobId: string }>('GET', `/api/files/${fileId}`)
    if (file.status === 'cold') return await pathOfContent(networkDir, file.storageNetworkBlobId)
    await delay(LOOK_MS)
  }
}

async function pathOfContent(networkDir: string, blobId: string): Promise<string> {
  const [content] = (await readdir(join(networkDir, blobId))).filter((name) => !name.endsWith('.dag'))
  return `/${blobId}/${content}`
}

async function megabytesPerSecond(url: URL): Promise<number> {
  const pool = new Pool(url.origin)
  const startedAt = performance.now()
  const read = await readBytes(pool, url)
  await pool.close()
  if (read !== FILE_BYTES) throw new Error(`${url.pathname} has ${read} bytes`)
  return FILE_BYTES / 1e3 / (performance.now() - startedAt)
}

async function rangesPerSecond(url: URL, starts: readonly number[]): Promise<number> {
  const pool = new Pool(url.origin, { connections: RANGES.inFlight })
  const rate = await ratePerSecond(RANGES, async (index) => {
    const start = starts[index] ?? 0
    const read = await readBytes(pool, url, { range: `bytes=${start}-${start + RANGE_BYTES - 1}` })
    if (read !== RANGE_BYTES) throw new Error(`A range has ${read} bytes`)
  })
  await pool.close()
  return rate
}

async function readBytes(pool: Pool, url: URL, headers: Record<string, string> = {}): Promise<number> {
  const { statusCode, body } = await pool.request({ method: 'GET', path: url.pathname + url.search, headers })
  if (statusCode >= 300) throw new Error(`${url.pathname} returned ${statusCode}`)
  let bytes = 0
  for await (const chunk of body) bytes += (chunk as Buffer).length
  return bytes
}
