import type { AddressInfo } from 'node:net'
import { createHttpServer, type HttpServerOptions } from '../src/http/http-server.ts'
import { createLogger } from '../src/telemetry/logger.ts'
import { createMetrics } from '../src/telemetry/metrics.ts'

/** A server with these routes on a loopback port, where all callers are public, and its log lines. */
export async function listen(routes: HttpServerOptions['routes'], more: Partial<HttpServerOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const log = createLogger({ service: 'test', level: 'info', destination })
  const app = createHttpServer({
    log,
    metrics: createMetrics('test'),
    signal: new AbortController().signal,
    verifyPrincipal: () => ({ kind: 'public' }),
    routes,
    ...more,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, log, lines, port: (app.server.address() as AddressInfo).port }
}
