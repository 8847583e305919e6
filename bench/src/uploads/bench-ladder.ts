import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { Pool } from 'undici'
import { median } from '../measure.ts'
import { type Account, openAccount } from '../system/account.ts'
import { ratePerSecond } from '../system/at-once.ts'
import { launch } from '../system/launch.ts'
import type { BenchOptions } from '../system/options.ts'
import { cpuOfTree } from '../system/process-tree.ts'
import { type System, startSystem } from '../system/start-system.ts'

const ROUNDS = 5
const LADDER = [1, 4, 8, 32, 64]
const STORES = ['a store in memory', 'versitygw'] as const
const STEPS = 'three steps'
const PEERS_STEPS = 'peer, sign and PUT'
const PEERS_CALL = 'peer, one call'
const together = ['gateway', 'auth', 'files'] as const
const bytes = Buffer.alloc(1024, 7)
const settings = { OPEN_UPLOADS_MAX: '10000000', HOT_RETENTION_SECONDS: '86400', SETTLE_SECONDS: '3600' }

interface Form {
  name: string
  system: System
  upload: () => Promise<unknown>
  beside: string
}

interface Round {
  rate: number
  p50Ms: number
  serversMs: number
  postgresMs: number
}

/**
 * Uploads of 1 KB by 1 to 64 callers: in three steps, with `put: once`, and in one call, on a store in memory and on
 * versitygw. Compares a peer (`openPeer`) and other trees if they are given.
 */
export async function benchLadder({ peerFile, trees, inFlight = LADDER, isTogether }: BenchOptions): Promise<void> {
  await using peer = await openPeer(peerFile)
  for (const kind of trees.length > 0 ? (['a store in memory'] as const) : STORES) {
    await using stack = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
    stack.defer(() => rm(dir, { recursive: true, force: true }))
    const store = kind === 'versitygw' ? null : stack.use(await startMemoryStore(dir))
    const env = { ...settings, ...(store && { S3_ENDPOINT: store.url, S3_PUBLIC_ENDPOINT: store.url }) }
    const forms: Form[] = []
    for (const tree of [...trees, undefined]) {
      const system = stack.use(
        await startSystem({ env, ...(isTogether && { together }), ...(tree !== undefined && { tree }) }),
      )
      system.pause()
      const account = stack.use(await openAccount(system.gatewayUrl, 'ladder'))
      forms.push(...formsOf({ tree, system, account }, tree === undefined ? peer : null, trees[0]))
    }
    for (const callers of inFlight) await climb(kind, callers, forms, peer)
  }
}

interface Measured {
  /** Defaults to this checkout. */
  tree: string | undefined
  system: System
  account: Account
}

function formsOf({ tree, system, account }: Measured, peer: Peer | null, firstTree: string | undefined): Form[] {
  const nameIn = (name: string, of: string | undefined) => (of === undefined ? name : `${name}, ${of}`)
  const own = (name: string, upload: Form['upload'], peersName: string): Form => {
    const ours = firstTree === undefined ? STEPS : nameIn(name, firstTree)
    return { name: nameIn(name, tree), system, upload, beside: peer ? peersName : ours }
  }
  const ofPeer = (name: string, upload: Form['upload']): Form => ({ name, system, upload, beside: name })
  return [
    ...(peer ? [ofPeer(PEERS_STEPS, () => peer.signAndPut(bytes)), ofPeer(PEERS_CALL, () => peer.post(bytes))] : []),
    own(STEPS, () => account.upload(bytes, {}), PEERS_STEPS),
    own('put: once', () => account.upload(bytes), PEERS_STEPS),
    own('one call', () => account.send(bytes), PEERS_CALL),
  ]
}

async function climb(kind: string, inFlight: number, forms: Form[], peer: Peer | null): Promise<void> {
  const rounds = new Map(forms.map(({ name }) => [name, [] as Round[]]))
  const count = Math.max(100, inFlight * 12)
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const form of forms) {
      const figures = await measure({ count, inFlight }, form, peer)
      if (round > 0) rounds.get(form.name)?.push(figures)
    }
  }
  console.log(`\n${inFlight} in flight, on ${kind}`)
  for (const { name, beside } of forms) tell(name, rounds.get(name) ?? [], rounds.get(beside) ?? [])
}

async function measure(
  load: { count: number; inFlight: number },
  { name, system, upload }: Form,
  peer: Peer | null,
): Promise<Round> {
  const times: number[] = []
  const read = async () => {
    const cpu = await system.cpu()
    const servers = name.startsWith('peer')
      ? await cpuOfTree(peer?.pid ?? 0)
      : sum(together.map((one) => cpu.get(one) ?? 0))
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

function tell(name: string, rounds: Round[], base: Round[]): void {
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

/** A running supabase/storage. The bench uploads to its bucket `BUCKET`. */
interface Peer extends AsyncDisposable {
  pid: number
  signAndPut(bytes: Buffer): Promise<void>
  post(bytes: Buffer): Promise<void>
}

const BUCKET = 'bench'

/** The file contains `{ "url", "key", "pid" }` with a key of the service role. Null without a file. */
async function openPeer(file: string | undefined): Promise<Peer | null> {
  if (file === undefined) return null
  const { url, key, pid } = JSON.parse(await readFile(file, 'utf8')) as { url: string; key: string; pid: number }
  const pool = new Pool(url, { connections: 64, pipelining: 1 })
  const authorization = `Bearer ${key}`

  async function call(method: 'POST' | 'PUT', path: string, body: string | Buffer, type: string): Promise<string> {
    const answer = await pool.request({ method, path, body, headers: { authorization, 'content-type': type } })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`The peer returned ${answer.statusCode} for ${path}: ${text}`)
    return text
  }

  await call('POST', '/bucket', JSON.stringify({ name: BUCKET }), 'application/json').catch((error: Error) => {
    if (!error.message.includes('already exists')) throw error
  })
  return {
    pid,
    async signAndPut(bytes) {
      const signed = await call('POST', `/object/upload/sign/${BUCKET}/${randomUUID()}`, '{}', 'application/json')
      await call('PUT', (JSON.parse(signed) as { url: string }).url, bytes, 'application/octet-stream')
    },
    async post(bytes) {
      await call('POST', `/object/${BUCKET}/${randomUUID()}`, bytes, 'application/octet-stream')
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
