import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { compare, median, print, type Variant } from '../measure.ts'
import { benchInFlight } from './bench-in-flight.ts'
import { cpuPerRequest } from './cpu-per-request.ts'
import { type Launched, launch } from './launch.ts'
import { publicRead, upload } from './loads.ts'
import { timeRequests } from './send-requests.ts'
import { startGateway } from './start-gateway.ts'
import { startNginx } from './start-nginx.ts'

const ROUNDS = 7
const ONE_BY_ONE = 500

/**
 * What one request costs the process in front of the services, before an upstream that answers at once: an nginx that
 * does what it can of the same; Node's server and undici alone, the floor under a gateway on these two; the gateway as
 * it is, with identities, limits, log and metrics; and Fastify's proxy plugin alone.
 */
export async function benchGateway(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { dir, upstream, nginx, bare, gateway, plugin } = await startAll(stack)
  await benchInFlight({ upstream, dir })
  const read = [cpuPerRequest('nginx', nginx, publicRead), cpuPerRequest('node:http and undici', bare, publicRead)]
  read.push(cpuPerRequest('gateway', gateway, publicRead), cpuPerRequest('@fastify/http-proxy', plugin, publicRead))
  print('CPU of a public read', 'µs', await compare(read, ROUNDS))
  const uploads = [cpuPerRequest('nginx', nginx, upload), cpuPerRequest('gateway', gateway, upload)]
  print('CPU of a request to upload, auth asked about its key', 'µs', await compare(uploads, ROUNDS))
  const times = [time('upstream', upstream), time('nginx', nginx), time('node:http and undici', bare)]
  times.push(time('gateway', gateway), time('@fastify/http-proxy', plugin))
  print('p50 of a public read, one connection', 'ms', await compare(times, ROUNDS))
}

function time(name: string, { url }: Launched): Variant {
  return { name, run: async () => median(await timeRequests(url, publicRead, ONE_BY_ONE)) }
}

async function startAll(stack: AsyncDisposableStack) {
  const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const startNode = async (name: string, ...args: string[]) => {
    const [port, file] = [await freePort(), fileURLToPath(new URL(`${name}-main.ts`, import.meta.url))]
    const options = { command: process.execPath, args: [file, String(port), ...args], port }
    return stack.use(await launch({ ...options, logFile: join(dir, `${name}.log`) }))
  }
  const upstream = await startNode('upstream')
  const front = async () => ({ port: await freePort(), upstreamUrl: upstream.url, dir })
  return {
    dir,
    upstream,
    nginx: stack.use(await startNginx(await front())),
    bare: await startNode('bare', upstream.url),
    gateway: stack.use(await startGateway(await front())),
    plugin: await startNode('http-proxy', upstream.url),
  }
}
