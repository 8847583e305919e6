import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { poll, stirring } from '../../src/process/poll.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

const PAUSES = { minMs: 1000, maxMs: 8000 }
const MINUTE_MS = 60_000

function setup(found: () => boolean) {
  const log = createLogger({ service: 'test', level: 'silent' })
  let looks = 0
  const look = async () => {
    looks += 1
    return found()
  }
  return { looking: poll(PAUSES, 'look', look, { log, signal: new AbortController().signal }), looks: () => looks }
}

describe('poll', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('polls less and less often while it finds nothing, up to the longest pause', async () => {
    const { looking, looks } = setup(() => false)
    await using _ = looking
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    const first = looks()
    await vi.advanceTimersByTimeAsync(PAUSES.maxMs)
    expect(looks()).toBeGreaterThan(first)
    expect(first).toBeLessThan(MINUTE_MS / PAUSES.maxMs / (2 / 3) + 6)
  })

  it('polls after the shortest pause while it finds something', async () => {
    const { looking, looks } = setup(() => true)
    await using _ = looking
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    expect(looks()).toBeGreaterThanOrEqual(MINUTE_MS / PAUSES.minMs)
  })

  it('polls once within the shortest pause after any number of finished or failed jobs', async () => {
    const { looking, looks } = setup(() => false)
    await using _ = looking
    const work = stirring([looking], () => Promise.reject(new Error('failed')))
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    const before = looks()
    for (let job = 0; job < 100; job += 1) await expect(work()).rejects.toThrow('failed')
    await vi.advanceTimersByTimeAsync(PAUSES.minMs)
    expect(looks() - before).toBeGreaterThanOrEqual(1)
    expect(looks() - before).toBeLessThanOrEqual(2)
  })
})
