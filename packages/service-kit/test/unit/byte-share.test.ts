import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createByteShare } from '../../src/process/byte-share.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)
const refused = { code: 'unavailable', retryAfterSeconds: 2 }

/** A sender of this many bytes per second. */
function sending(bytesPerSecond: number) {
  const startedAt = performance.now()
  return () => ({
    movedBytes: Math.floor(((performance.now() - startedAt) / 1000) * bytesPerSecond),
    isWaiting: true,
  })
}

function setup() {
  const share = createByteShare({ maxBytes: 8, perHolderBytes: 4 })
  const open = (holder: string, bytesPerSecond: number) => {
    const room = share.open(holder, sending(bytesPerSecond))
    room.grow(4)
    return room
  }
  return { share, open }
}

const FAST = 1024 * 1024

describe('memory in use', () => {
  it('goes from slow senders to others within a second', async () => {
    const { share, open } = setup()
    const slow = [open('a', 1), open('b', 1)]
    expect(() => open('c', FAST)).toThrow(expect.objectContaining(refused))
    await after(0.9)
    using _ = open('c', FAST)
    expect(slow.map(({ signal }) => signal.aborted)).toEqual([true, false])
    expect(slow[0]?.signal.reason).toMatchObject(refused)
    expect(() => slow[0]?.grow(1)).toThrow(expect.objectContaining(refused))
    for (const room of slow) room[Symbol.dispose]()
    expect(share.takenBytes).toBe(4)
  })

  it('stays with senders that keep up, and no sender is cut unless that frees enough memory', async () => {
    const { share, open } = setup()
    using fast = open('a', FAST)
    using slow = share.open('b', sending(1))
    slow.grow(3)
    await after(20)
    expect(() => open('c', FAST)).not.toThrow()
    expect([fast.signal.aborted, slow.signal.aborted]).toEqual([false, true])
    using other = share.open('d', sending(1))
    await after(20)
    expect(() => other.grow(5)).toThrow(expect.objectContaining(refused))
    expect([fast.signal.aborted, other.signal.aborted]).toEqual([false, false])
  })

  it('goes from one upload of an account to another only after 10 s of slowness', async () => {
    const { open } = setup()
    using slow = open('a', 1)
    await after(9)
    expect(() => open('a', FAST)).toThrow(expect.objectContaining(refused))
    await after(2)
    open('a', FAST)
    expect(slow.signal.aborted).toBe(true)
  })

  it('stays with senders without a pace', async () => {
    const { share, open } = setup()
    for (const holder of ['a', 'b']) share.open(holder).grow(4)
    await after(20)
    expect(() => open('c', FAST)).toThrow(expect.objectContaining(refused))
  })
})
