import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { compare, print } from '../measure.ts'
import { cpuPerRequest } from './cpu-per-request.ts'
import { launch } from './launch.ts'
import { publicRead, upload } from './loads.ts'
import { startGateway } from './start-gateway.ts'

const ROUNDS = 9

/**
 * What logs and traces add to a request's CPU in the gateway, the process with the least work of its own: without
 * either; with its log, as by default; and with 5 % and all of the traces sent to a collector. Metrics are always on.
 */
export async function benchTelemetry(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const [port, file] = [await freePort(), fileURLToPath(new URL('upstream-main.ts', import.meta.url))]
  const options = { command: process.execPath, args: [file, String(port)], port }
  const { url } = stack.use(await launch({ ...options, logFile: join(dir, 'upstream.log') }))
  const start = async (settings: Record<string, string>) =>
    stack.use(await startGateway({ port: await freePort(), upstreamUrl: url, dir, settings }))
  const gateways = [
    ['neither logs nor traces', await start({ LOG_LEVEL: 'silent' })],
    ['the same again', await start({ LOG_LEVEL: 'silent' })],
    ['logs', await start({})],
    ['logs and 5 % of the traces', await start(sampled('0.05', url))],
    ['logs and all traces', await start(sampled('1', url))],
  ] as const
  for (const [title, load] of [['public read', publicRead] as const, ['request to upload', upload] as const]) {
    const variants = gateways.map(([name, gateway]) => cpuPerRequest(name, gateway, load))
    print(`CPU of a ${title} in the gateway`, 'µs', await compare(variants, ROUNDS))
  }
}

function sampled(ratio: string, collectorUrl: string): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  }
}
