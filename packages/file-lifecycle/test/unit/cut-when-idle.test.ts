import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cutWhenIdle } from '../../src/copies/open-bytes.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const MINUTE_MS = 60_000
const BYTES = Buffer.alloc(64 * 1024)

/** A sender of so many pieces, who says nothing more then, and its reader. */
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

it('a reader who takes minutes for each piece is not the sender’s fault', async () => {
  const { body, next } = open(5)
  for (let piece = 0; piece < 4; piece++) {
    expect((await next()).value?.length).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS)
  }
  expect(body.destroyed).toBe(false)
  body.destroy()
})

it('a sender who stops is cut once somebody has waited for half a minute, however long nobody did', async () => {
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

it('a body that has closed already keeps no timer', async () => {
  const body = new Readable()
  body.destroy()
  await new Promise((resolve) => body.once('close', resolve))
  cutWhenIdle(body, 'hot tier')
  expect(vi.getTimerCount()).toBe(0)
})

it('a sender who never begins is cut, whether somebody reads or not', async () => {
  const { body } = open(0)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(body.destroyed).toBe(true)
})
