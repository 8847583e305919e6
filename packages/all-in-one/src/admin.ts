import { createServer, type ServerResponse } from 'node:http'
import type { Stack } from '@tideport/dev-stack/stack/start-stack'

export type Admin = AsyncDisposable & {
  /** Before this call, `/ready` returns 503. */
  serve(stack: Stack): void
}

/** `/live`, `/ready`, and `/metrics` of the complete system, as each image has them for its process. */
export async function openAdmin(port: number, host: string): Promise<Admin> {
  let stack: Stack | undefined
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    void respond(path, stack, response).catch(() => send(response, 503, json, '{"status":"unavailable"}'))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(`The admin port ${port} is in use. Set ADMIN_PORT to another port, or to 0 for a free one.`, {
      cause: error,
    })
  })
  return {
    serve: (running) => {
      stack = running
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const json = 'application/json'

async function respond(path: string, stack: Stack | undefined, response: ServerResponse): Promise<void> {
  if (path === '/live') return send(response, 200, json, '{"status":"live"}')
  if (path !== '/ready' && path !== '/metrics') return send(response, 404, json, '{"status":"not found"}')
  if (stack === undefined) return send(response, 503, json, '{"status":"starting"}')
  if (path === '/metrics') return await sendMetrics(stack, response)
  const { isReady, ...parts } = await stack.health()
  const status = isReady ? 'ready' : 'unhealthy'
  send(response, isReady ? 200 : 503, json, JSON.stringify({ status, ...parts }))
}

/** The metrics of the process with the services. */
async function sendMetrics(stack: Stack, response: ServerResponse): Promise<void> {
  const service = stack.describe().processes.find(({ name }) => name === 'gateway')
  const metrics = await fetch(`${service?.adminUrl}/metrics`, { signal: AbortSignal.timeout(5_000) })
  send(response, metrics.status, metrics.headers.get('content-type') ?? 'text/plain', await metrics.text())
}

function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
}
