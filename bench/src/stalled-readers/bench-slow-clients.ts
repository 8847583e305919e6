import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startStack } from '@tideport/dev-stack/stack/start-stack'
import { median } from '../measure.ts'
import { ownerOf } from './owner.ts'
import { openSlowClients } from './slow-clients.ts'

const CLIENTS = 1000
const NETWORKS = 50
const FILE_BYTES = 64 * 1024 * 1024
const ROUNDS = 40
const PAUSE_MS = 250

/**
 * The time to the first byte of a small public file, and to the answer of an upload of a few bytes in one call, for a
 * client of another network while 1,000 connections from 50 networks read or send a byte a second.
 */
export async function benchSlowClients(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const env = {
    LOG_LEVEL: 'error',
    RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
    RATE_LIMIT_PER_SECOND: '0',
    HOT_RETENTION_SECONDS: '3600',
  }
  const running = stack.use(await startStack({ dataDir, port: 0, durable: false, quiet: true, env }))
  const gatewayUrl = running.describe().gatewayUrls[0] as string
  const owner = ownerOf(gatewayUrl)
  const large = new URL(owner.publicUrl(await owner.upload(FILE_BYTES)))
  const small = owner.publicUrl(await owner.upload(1000))
  const contents = await Promise.all(Array.from({ length: NETWORKS + 1 }, (_, index) => contentOf(gatewayUrl, index)))
  const read = () => statusOf(get(small, { agent: false, localAddress: '127.2.0.1' }))
  const send = (name: string) => {
    const headers = { 'x-dev-provider-id': accountOf(NETWORKS), 'content-length': 1 }
    const options = { method: 'PUT', agent: false, localAddress: '127.2.0.1', headers }
    return statusOf(request(new URL(name, contents[NETWORKS]), options).end('x'))
  }
  const line = (method: string, { host, pathname }: URL) => `${method} ${pathname} HTTP/1.1\r\nhost: ${host}\r\n`
  const slow = { count: CLIENTS, networks: NETWORKS }
  await measure('no slow clients', read)
  {
    await using _ = await openSlowClients(gatewayUrl, {
      ...slow,
      head: () => `${line('GET', large)}\r\n`,
      isSending: false,
    })
    await measure('1,000 slow readers: a public read', read)
  }
  const head = (index: number) => {
    const account = index % NETWORKS
    const target = new URL(`slow-${index}`, contents[account])
    return `${line('PUT', target)}x-dev-provider-id: ${accountOf(account)}\r\ncontent-length: 100000\r\n\r\n`
  }
  await using _ = await openSlowClients(gatewayUrl, { ...slow, head, isSending: true })
  await measure('1,000 slow senders: a public read', read)
  await measure('1,000 slow senders: an upload', () => send(`honest-${performance.now()}`))
}

const accountOf = (index: number) => `bench-${index}`

/** Where uploads in one call go into the default vault of an account. */
async function contentOf(gatewayUrl: string, index: number): Promise<URL> {
  const headers = { 'x-dev-provider-id': accountOf(index) }
  const response = await fetch(`${gatewayUrl}/api/vaults`, { headers })
  const { vaults } = (await response.json()) as { vaults: { id: string }[] }
  return new URL(`${gatewayUrl}/api/vaults/${vaults[0]?.id}/content/`)
}

async function statusOf(outgoing: ReturnType<typeof get>): Promise<number> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

async function measure(name: string, ask: () => Promise<number>): Promise<void> {
  const times: number[] = []
  const others = new Map<number, number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now()
    const status = await ask()
    if (status < 300) times.push(performance.now() - startedAt)
    else others.set(status, (others.get(status) ?? 0) + 1)
    await delay(PAUSE_MS)
  }
  const refused = Array.from(others, ([status, count]) => `, ${count} times ${status}`).join('')
  console.info(
    `${name}: ${times.length} of ${ROUNDS} served, ms: ${median(times).toFixed(0)} p50, ${Math.max(...times).toFixed(0)} max${refused}`,
  )
}
