/** A server with one endpoint of each kind, and callers of each kind. */

import { Readable } from 'node:stream'
import { endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { Principal } from '@tideport/contracts/internal/principal'
import { z } from 'zod'
import { createHttpServer } from '../src/http/http-server.ts'
import { serve } from '../src/http/route.ts'
import { unavailable } from '../src/process/app-error.ts'
import { createLogger } from '../src/telemetry/logger.ts'
import { createMetrics } from '../src/telemetry/metrics.ts'

export const ACCOUNT_ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const base = { service: 'files', summary: 'Test', errors: [] } as const
const idParams = z.object({ boxId: z.uuid() })

export const readBox = endpoint({
  ...base,
  method: 'GET',
  path: '/boxes/:boxId',
  access: 'files:read',
  params: idParams,
  query: z.object({ limit: z.coerce.number().int().max(100).default(50) }),
  success: { status: 200, schema: z.object({ boxId: z.string(), limit: z.number() }) },
})
const makeBox = endpoint({
  ...base,
  method: 'POST',
  path: '/boxes',
  access: 'files:write',
  body: z.object({ name: z.string().min(1), size: z.object({ width: z.int() }) }),
  success: { status: 201, schema: z.object({ name: z.string() }) },
})
const sealBox = endpoint({
  ...base,
  method: 'POST',
  path: '/boxes/:id/seal',
  access: 'public',
  params: z.object({ id: z.uuid() }),
  success: { status: 200, schema: z.object({ kind: z.string() }) },
})
const readBytes = endpoint({
  ...base,
  method: 'GET',
  path: '/bytes',
  access: 'public',
  success: { status: 200, bytes: true },
})
const checkKey = endpoint({
  ...base,
  method: 'POST',
  path: '/internal/check',
  access: 'internal',
  success: { status: 200, schema: z.object({}) },
})

export const tokens: Record<string, Principal> = {
  full: { kind: 'account', accountId: ACCOUNT_ID, method: 'jwt', scopes: null },
  reader: { kind: 'account', accountId: ACCOUNT_ID, method: 'api_key', scopes: ['files:read'] },
  public: { kind: 'public' },
  gateway: { kind: 'gateway' },
}

export function setup(fail: () => unknown = () => undefined) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const metrics = createMetrics('test')
  const app = createHttpServer({
    log: createLogger({ service: 'test', level: 'info', destination }),
    metrics,
    signal: new AbortController().signal,
    verifyPrincipal: (token) => {
      const principal = tokens[token]
      if (principal === undefined) throw unavailable()
      return principal
    },
    routes: [
      serve(readBox, async ({ params, query }) => {
        await fail()
        const leaking = { boxId: params.boxId, limit: query.limit, secret: 'hunter2' }
        return leaking
      }),
      serve(makeBox, async ({ body }) => ({ name: body.name })),
      serve(sealBox, async ({ principal }) => ({ kind: principal.kind })),
      serve(readBytes, async ({ request, reply }) => {
        reply.header('content-length', 5).type('text/plain')
        return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from([Buffer.from('hello')]))
      }),
      serve(checkKey, async () => ({})),
    ],
  })
  async function call(method: 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE', url: string, more: CallOptions = {}) {
    const { as = 'full', headers, payload } = more
    const principal = as === null ? {} : { 'x-tideport-principal': as }
    const answer = await app.inject({
      method,
      url,
      headers: { ...principal, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: answer.body.startsWith('{') ? answer.json() : null,
    }
  }
  return { app, call, lines, metrics }
}

interface CallOptions {
  as?: string | null
  headers?: Record<string, string>
  payload?: string | Buffer
}

export const json = { 'content-type': 'application/json' }
export const boxUrl = `/boxes/${ACCOUNT_ID}`
