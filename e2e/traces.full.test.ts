import { startOtlpCollector } from '@tideport/testing/otlp-collector'
import type { CollectedSpan } from '@tideport/testing/otlp-spans'
import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault, newAccount } from './support/account.ts'
import { startTestStack } from './support/start-test-stack.ts'
import { putBytes, requestUpload, uniqueBytes } from './support/uploads.ts'
import { createWebhook, untilEvent } from './support/webhook-events.ts'

const STRANGER = '0af7651916cd43dd8448eb211c80319c'

test.each([
  ['apart', []],
  ['in one process', undefined],
])('one trace covers a file from its confirm to its last webhook, through every service, %s', async (_, together) => {
  await using collector = await startOtlpCollector()
  await using receiver = await startReceiver()
  await using stack = await startTestStack({ together, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } })
  const gatewayUrl = stack.describe().gatewayUrls[0] as string
  const client = newAccount(gatewayUrl)
  await createWebhook(client, receiver, ['file.hot', 'file.synced', 'file.cold'])
  const bytes = uniqueBytes()
  const upload = await requestUpload(client, { vaultId: (await createVault(client, 'public')).id, bytes })
  await putBytes(upload, bytes)
  const stranger = { traceparent: `00-${STRANGER}-b7ad6b7169203331-00`, 'x-request-id': 'the-confirm' }
  const { status } = await client.call('POST', `/api/files/${upload.fileId}/confirm`, { headers: stranger })
  expect(status).toBe(200)
  await untilEvent(receiver, 'file.cold')

  const confirm = await waitFor(() => collector.spans.find(isConfirm), { what: 'the span of the confirm' })
  const inTrace = () => collector.spans.filter(({ traceId }) => traceId === confirm.traceId)
  const attempts = () => inTrace().filter(({ name }) => name === 'POST webhook')
  await waitFor(() => attempts().length === 3, { what: 'the spans of three webhooks' })
  // Each process sends its spans in batches, so a parent may arrive after its children.
  const hasParent = ({ parentSpanId }: CollectedSpan) => inTrace().some(({ spanId }) => spanId === parentSpanId)
  const isWhole = () => inTrace().every((span) => span.parentSpanId === '' || hasParent(span))
  await waitFor(isWhole, { what: 'the parents of all spans' })
  const spans = inTrace()
  const path = (span: CollectedSpan | undefined): string[] => {
    if (span === undefined) return []
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return [...path(parent), `${span.service.replace('tideport-', '')}: ${span.name}`]
  }
  const paths = spans.map((span) => path(span).join(' > '))
  const last = paths.find((one) => one.includes('events.file.cold.v1') && one.endsWith('POST webhook'))
  expect(last?.split(' > ')).toEqual(
    expect.arrayContaining([
      'gateway: POST /api/files/:fileId/confirm',
      'files: POST /api/files/:fileId/confirm',
      'sync: process store-embedded',
      'eviction: process prove-embedded',
      'eviction: process evict',
      // The service that polls the outbox first sends the event, even if another service wrote it.
      expect.stringMatching(/^[a-z]+: send events\.file\.cold\.v1$/),
      'webhooks: POST webhook',
    ]),
  )
  // Every span except the first has a parent. The first is linked to the client's trace.
  expect(spans.filter(({ parentSpanId }) => parentSpanId === '')).toEqual([confirm])
  expect(spans.filter((span) => span !== confirm && path(span).length === 1)).toEqual([])
  expect(confirm.links).toEqual([{ traceId: STRANGER, spanId: 'b7ad6b7169203331' }])
  for (const secret of [receiver.url, upload.uploadUrl, upload.fileId, 'X-Amz']) {
    expect(JSON.stringify(collector.spans)).not.toContain(secret)
  }
})

function isConfirm({ attributes, kind, service }: CollectedSpan): boolean {
  return service === 'tideport-gateway' && kind === 2 && attributes['tideport.request_id'] === 'the-confirm'
}
