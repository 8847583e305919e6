import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLiveness } from '../../src/upstream/liveness.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A process that is responsive or not, with a count of probes. */
function setup({ hangs }: { hangs: boolean }) {
  const process = { hangs, probes: 0 }
  const liveness = createLiveness({
    async probe(signal) {
      process.probes += 1
      if (process.hangs) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return process.hangs ? 'silent' : 'answers'
    },
    onSilence: () => void liveness.check(),
    onChange: () => {},
  })
  return { process, liveness, [Symbol.dispose]: () => liveness[Symbol.dispose]() }
}

it('reports an unresponsive process within 5 s, and probes it until it responds', async () => {
  using t = setup({ hangs: true })
  t.liveness.wait()
  const giveUp = vi.fn(() => t.liveness.left(waiting))
  const waiting = t.liveness.wait(giveUp)
  await vi.advanceTimersByTimeAsync(3000)
  expect([giveUp.mock.calls.length, t.liveness.isHung]).toEqual([0, false])
  await vi.advanceTimersByTimeAsync(1999)
  expect([giveUp.mock.calls.length, t.liveness.isHung]).toEqual([1, true])
  await vi.advanceTimersByTimeAsync(60_000)
  t.process.hangs = false
  await vi.advanceTimersByTimeAsync(2500)
  expect([giveUp.mock.calls.length, t.liveness.isHung]).toEqual([1, false])
})

it('does not probe a process that responds to other requests', async () => {
  using t = setup({ hangs: true })
  t.liveness.wait()
  for (let seconds = 0; seconds < 10; seconds++) {
    const other = t.liveness.wait()
    await vi.advanceTimersByTimeAsync(1000)
    t.liveness.answered(other)
  }
  expect(t.process.probes).toBe(0)
})
