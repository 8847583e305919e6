import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { launch } from '../gateway/launch.ts'
import { median } from '../measure.ts'
import { type Account, openAccount } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import type { BenchOptions } from '../system/options.ts'
import { cpuOfTree } from '../system/process-tree.ts'
import { type System, startSystem } from '../system/start-system.ts'
import { openPeer, type Peer } from './peer.ts'

const ROUNDS = 5
const LADDER = [1, 4, 8, 32, 64]
const SERVERS = ['gateway', 'auth', 'files']
const bytes = Buffer.alloc(1024, 7)
const settings = { OPEN_UPLOADS_MAX: '10000000', HOT_RETENTION_SECONDS: '86400', SETTLE_SECONDS: '3600' }

interface Form {
  name: string
  upload: () => Promise<unknown>
}

interface Round {
  rate: number
  p50Ms: number
  serversMs: number
  postgresMs: number
}

/**
 * An upload of 1 KB with an API key by one, 4, 8, 32 and 64 callers at once: three steps as the specification has them,
 * `put: once`, and one call; on a store in memory and on versitygw. Beside a peer, where one runs (`openPeer`): its two
 * steps, and its one call. Rounds in turn; the person alone comes first.
 */
export async function benchLadder({ peerFile }: BenchOptions): Promise<void> {
  await using peer = await openPeer(peerFile)
  for (const kind of ['a store in memory', 'versitygw'] as const) {
    await using stack = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
    stack.defer(() => rm(dir, { recursive: true, force: true }))
    const store = kind === 'versitygw' ? null : stack.use(await startMemoryStore(dir))
    const env = { ...settings, ...(store && { S3_ENDPOINT: store.url, S3_PUBLIC_ENDPOINT: store.url }) }
    const system = stack.use(await startSystem({ env }))
    system.pause()
    const account = stack.use(await openAccount(system.gatewayUrl, 'ladder'))
    for (const inFlight of LADDER) await climb(kind, inFlight, system, formsOf(account, peer), peer)
  }
}

function formsOf(account: Account, peer: Peer | null): Form[] {
  return [
    ...(peer ? [{ name: 'peer, sign and PUT', upload: () => peer.signAndPut(bytes) }] : []),
    { name: 'three steps', upload: () => account.upload(bytes, {}) },
    { name: 'put: once', upload: () => account.upload(bytes) },
    ...(peer ? [{ name: 'peer, one call', upload: () => peer.post(bytes) }] : []),
    { name: 'one call', upload: () => account.send(bytes) },
  ]
}

async function climb(kind: string, inFlight: number, system: System, forms: Form[], peer: Peer | null): Promise<void> {
  const rounds = forms.map((): Round[] => [])
  const count = Math.max(100, inFlight * 12)
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, form] of forms.entries()) {
      const figures = await measure({ count, inFlight }, form, system, peer)
      if (round > 0) rounds[index]?.push(figures)
    }
  }
  console.log(`\n${inFlight} in flight, on ${kind}`)
  for (const [index, { name }] of forms.entries())
    tell(name, rounds[index] ?? [], peer && name === 'one call' ? rounds[3] : rounds[0])
}

async function measure(
  load: { count: number; inFlight: number },
  { name, upload }: Form,
  system: System,
  peer: Peer | null,
): Promise<Round> {
  const times: number[] = []
  const read = async () => {
    const cpu = await system.cpu()
    const servers = name.startsWith('peer')
      ? await cpuOfTree(peer?.pid ?? 0)
      : sum(SERVERS.map((one) => cpu.get(one) ?? 0))
    return { servers, postgres: cpu.get('postgres') ?? 0 }
  }
  const before = await read()
  const rate = await ratePerSecond(load, async () => {
    const startedAt = performance.now()
    await upload()
    times.push(performance.now() - startedAt)
  })
  const after = await read()
  const ms = (of: 'servers' | 'postgres') => (after[of] - before[of]) / 1000 / load.count
  return { rate, p50Ms: median(times), serversMs: ms('servers'), postgresMs: ms('postgres') }
}

function tell(name: string, rounds: Round[], base: Round[] = rounds): void {
  const of = (figure: keyof Round) =>
    median(rounds.map((round) => round[figure]))
      .toFixed(1)
      .padStart(6)
  const ratio = median(rounds.map(({ rate }, index) => rate / (base[index]?.rate ?? rate))).toFixed(2)
  const cpu = `${of('serversMs')} and ${of('postgresMs')} ms of CPU, servers and Postgres`
  console.log(`  ${name.padEnd(20)} ${of('rate')}/s  x ${ratio}  p50 ${of('p50Ms')} ms  ${cpu}`)
}

const sum = (figures: number[]) => figures.reduce((total, one) => total + one, 0)

async function startMemoryStore(dir: string) {
  const [port, file] = [await freePort(), fileURLToPath(new URL('memory-store-main.ts', import.meta.url))]
  const options = { command: process.execPath, args: [file, String(port)], port }
  return await launch({ ...options, logFile: join(dir, 'memory-store.log') })
}
