import { expect, onTestFinished, test } from 'vitest'
import type { MediaAnswer, MediaQuestion } from '../../src/private/media-protocol.ts'

/** The response of the worker to an `<audio>` element, for a page that has these bytes. */
async function responseOf(bytes: string, range: string): Promise<Response> {
  const listeners = new Map<string, (event: unknown) => void>()
  const page = {
    postMessage({ start, end }: MediaQuestion, [port]: MessagePort[]) {
      const all = Buffer.from(bytes)
      const some = new Uint8Array(all.subarray(start, end ?? all.length))
      port?.postMessage({ sizeBytes: all.length, mimeType: 'audio/wav', bytes: some } satisfies MediaAnswer)
      port?.close()
    },
  }
  const self = {
    registration: { scope: 'https://tideport.example/console' },
    clients: { get: async () => page },
    addEventListener: (type: string, run: (event: unknown) => void) => listeners.set(type, run),
  }
  Object.assign(globalThis, { self })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'self'))
  await import(`../../src/private/media-service-worker.ts?${crypto.randomUUID()}`)
  const request = {
    url: `${self.registration.scope}/private-media/1`,
    destination: 'audio',
    headers: new Headers({ range }),
  }
  return await new Promise((resolve) => listeners.get('fetch')?.({ request, clientId: '1', respondWith: resolve }))
}

test.each([
  { bytes: '', range: 'bytes=0-', status: 200, contentRange: null, body: '' },
  { bytes: '', range: 'bytes=5-9', status: 200, contentRange: null, body: '' },
  { bytes: 'sound', range: 'bytes=1-2', status: 206, contentRange: 'bytes 1-2/5', body: 'ou' },
  { bytes: 'sound', range: 'bytes=5-', status: 416, contentRange: 'bytes */5', body: '' },
])('responds $status to $range of "$bytes"', async ({ bytes, range, status, contentRange, body }) => {
  const response = await responseOf(bytes, range)
  expect(response.status).toBe(status)
  expect(response.headers.get('content-range')).toBe(contentRange)
  expect(await response.text()).toBe(body)
})
