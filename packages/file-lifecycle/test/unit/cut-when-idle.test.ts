import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cutWhenIdle } from '../../src/copies/open-bytes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const MINUTE_MS = 60_000
const BYTES = Buffer.alloc(64 * 1024)

/** A sender that stops after this many pieces, and its reader. */
function open(pieces: number) {
  let left = pieces
  const body = new Readable({
    read() {
      if (left-- > 0) setImmediate(() => this.push(BYTES))
    },
  })
  const reader = cutWhenIdle(body, 'hot tier')[Symbol.asyncIterator]()
  return { body, next: () => reader.next() }
}

it('does not cut the sender when the reader takes minutes for each piece', async () => {
  const { body, next } = open(5)
  for (let piece = 0; piece < 4; piece++) {
    expect((await next()).value?.length).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS)
  }
  expect(body.destroyed).toBe(false)
  body.destroy()
})

it('cuts a stopped sender after a reader has waited for half a minute', async () => {
  const { body, next } = open(2)
  const first = await next()
  await vi.advanceTimersByTimeAsync(5 * MINUTE_MS)
  const second = await next()
  expect([first.done, second.done]).toEqual([false, false])
  const last = expect(next()).rejects.toThrow('The hot tier stopped sending')
  await vi.advanceTimersByTimeAsync(26_000)
  expect(body.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(4_000)
  await last
})

it('keeps no timer for a closed body', async () => {
  const body = new Readable()
  body.destroy()
  await new Promise((resolve) => body.once('close', resolve))
  cutWhenIdle(body, 'hot tier')
  expect(vi.getTimerCount()).toBe(0)
})

it('cuts a sender that never begins, with or without a reader', async () => {
  const { body } = open(0)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(body.destroyed).toBe(true)
})
