import { createServer } from 'node:http'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { describe, expect, it } from 'vitest'
import { pause } from '../../src/client/pause.ts'
import type { PutBytes } from '../../src/client/put-bytes.ts'
import { createClient } from '../../src/tideport.ts'
import { trackProgress } from '../../src/transfer/progress.ts'
import { sendPart } from '../../src/transfer/send-part.ts'

const forever = new AbortController().signal

describe('a PUT to object storage', () => {
  const sending = (url: string, timeoutMs: number, size: number) => ({
    client: createClient({ baseUrl: url, apiKey: 'tdp_x', attempts: 1, timeoutMs }),
    urls: { of: async () => ({ url, headers: {} }), forget: () => {} },
    tracker: trackProgress(size, undefined),
    signal: forever,
    isStored: async () => false,
  })

  it('fails if the store accepts every byte, but does not respond', async () => {
    const server = createServer((request) => request.resume())
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`
    const bytes = new Uint8Array(3 * 1024 ** 2)
    const part = { number: 1, size: bytes.length, read: async () => bytes }
    await expect(sendPart(sending(url, 200, bytes.length), part)).rejects.toThrow('in time')
    await closeAtOnce(server)
  })

  it('continues as long as bytes leave', async () => {
    const size = 64 * 1024
    const pieces = Array.from({ length: 8 }, (_, index) => (index + 1) * (size / 8))
    const { client, ...more } = sending('http://storage.example/', 2000, size)
    const startedAt = performance.now()
    const putBytes: PutBytes = async ({ onSent, signal }) => {
      for (const sent of pieces) {
        await pause(300, signal)
        onSent(sent)
      }
      return { status: 200, text: '' }
    }
    await sendPart(
      { ...more, client: { ...client, putBytes } },
      { number: 1, size, read: async () => new Uint8Array(size) },
    )
    expect(performance.now() - startedAt).toBeGreaterThan(2200)
  })
})
