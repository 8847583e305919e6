import { generateKeyPairSync } from 'node:crypto'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { median } from '../measure.ts'
import { cpuTime } from './cpu-time.ts'
import type { Launched } from './launch.ts'
import { publicRead, upload, uploadWith } from './loads.ts'
import { type Load, sendRequests } from './send-requests.ts'
import { startAuth } from './start-auth.ts'
import { startGateway } from './start-gateway.ts'
import { startNginx } from './start-nginx.ts'

const IN_FLIGHT = [1, 8, 32, 128]
const COUNT = 2000
const ROUNDS = 5
const KEYS = 1000

interface Row {
  title: string
  /** Who is asked. */
  url: string
  loads: readonly [Load, ...Load[]]
  /** Whose CPU is counted, by name. */
  pids: Record<string, number>
}

/**
 * What a request costs each process by how many are under way at once: nginx, the gateway, and an auth on a Postgres of
 * its own that the gateway asks. The service behind them answers at once.
 */
export async function benchInFlight({ upstream, dir }: { upstream: Launched; dir: string }): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const auth = stack.use(await startAuth({ publicKey, keyCount: KEYS, dir }))
  const front = async () => ({ port: await freePort(), upstreamUrl: upstream.url, dir })
  const nginx = stack.use(await startNginx(await front()))
  const gateway = stack.use(await startGateway({ ...(await front()), privateKey, settings: { AUTH_URL: auth.url } }))
  const both = { gateway: gateway.pid, auth: auth.pid }
  const [first, ...others] = auth.keys.map(uploadWith) as [Load, ...Load[]]
  const rows: Row[] = [
    { title: 'public read', url: nginx.url, loads: [publicRead], pids: { nginx: nginx.pid } },
    { title: 'public read', url: gateway.url, loads: [publicRead], pids: { gateway: gateway.pid } },
    { title: 'request to upload', url: nginx.url, loads: [upload], pids: { nginx: nginx.pid } },
    { title: 'request to upload, one key', url: gateway.url, loads: [first], pids: both },
    { title: `request to upload, ${KEYS} keys in turn`, url: gateway.url, loads: [first, ...others], pids: both },
  ]
  console.log(`\nµs of CPU a request, with ${IN_FLIGHT.join(', ')} under way`)
  for (const row of rows) await measure(row)
}

async function measure({ title, url, loads, pids }: Row): Promise<void> {
  const names = Object.keys(pids)
  const figures = names.map(() => IN_FLIGHT.map((): number[] => []))
  await sendRequests(url, loads, { count: COUNT, connections: Math.max(...IN_FLIGHT) })
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [column, connections] of IN_FLIGHT.entries()) {
      const before = await Promise.all(Object.values(pids).map((pid) => cpuTime(pid)))
      await sendRequests(url, loads, { count: COUNT, connections })
      const after = await Promise.all(Object.values(pids).map((pid) => cpuTime(pid)))
      for (const row of names.keys()) figures[row]?.[column]?.push(((after[row] ?? 0) - (before[row] ?? 0)) / COUNT)
    }
  }
  for (const [row, name] of names.entries()) {
    const medians = figures[row]?.map((column) => median(column).toFixed(0).padStart(6)).join('')
    console.log(`  ${title.padEnd(44)} ${name.padEnd(8)} ${medians}`)
  }
}
