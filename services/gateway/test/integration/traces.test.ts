import { startOtlpCollector } from '@tideport/testing/otlp-collector'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const STRANGER = '0af7651916cd43dd8448eb211c80319c'
const publicFile = '/api/public/files/01980d2e-5d5c-7c9b-8e57-3f3a5c1d2e4f'

async function setup(behaviour: 'takes' | 'hangs' | 'refuses', env: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const collector = stack.use(await startOtlpCollector(behaviour))
  const files = stack.use(await startUpstream())
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...env }
  const gateway = stack.use(await startGateway({ FILES_URL: files.url, ...tracing }))
  return {
    collector,
    files,
    gateway,
    read: (headers: Record<string, string> = {}) => request(`${gateway.url}${publicFile}?secret=1`, { headers }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('a gateway that records spans', () => {
  it('starts its own trace for an external client, links the client’s trace, and propagates its own', async () => {
    await using t = await setup('takes')
    await t.read({ traceparent: `00-${STRANGER}-b7ad6b7169203331-00`, 'x-request-id': 'req-1' })
    await t.gateway.stop()
    const route = 'GET /api/public/files/:fileId'
    const server = t.collector.spans.find(({ kind }) => kind === 2)
    const client = t.collector.spans.find(({ kind }) => kind === 3)
    expect(server).toMatchObject({
      service: 'tideport-gateway',
      name: route,
      parentSpanId: '',
      links: [{ traceId: STRANGER, spanId: 'b7ad6b7169203331' }],
      attributes: { 'http.request.method': 'GET', 'http.response.status_code': 200, 'tideport.request_id': 'req-1' },
    })
    expect(server?.traceId).not.toBe(STRANGER)
    expect(client).toMatchObject({ name: route, traceId: server?.traceId, parentSpanId: server?.spanId })
    expect(t.files.seen[0]?.headers['traceparent']).toBe(`00-${client?.traceId}-${client?.spanId}-01`)
    expect(JSON.stringify(t.collector.spans)).not.toContain('secret')
    expect(JSON.stringify(t.collector.spans)).not.toContain(publicFile)
  })

  it('records no trace that its sampler drops, whatever an external client sends', async () => {
    await using t = await setup('takes', {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    await t.read({ traceparent: `00-${STRANGER}-b7ad6b7169203331-01` })
    await t.gateway.stop()
    expect(t.collector.spans).toEqual([])
    expect(t.files.seen[0]?.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  })

  it('sends nothing when OTEL_SDK_DISABLED is true', async () => {
    await using t = await setup('takes', { OTEL_SDK_DISABLED: 'true' })
    await t.read()
    await t.gateway.stop()
    expect(t.collector.requests()).toBe(0)
  })

  it.each(['hangs', 'refuses'] as const)('serves and stops normally while its collector %s', async (behaviour) => {
    await using t = await setup(behaviour, { SHUTDOWN_SECONDS: '5' })
    await t.read()
    await waitFor(() => t.collector.requests() > 0)
    expect((await t.read()).status).toBe(200)
    expect(await t.gateway.stop()).toEqual({ code: 0, signal: null })
  })
})
