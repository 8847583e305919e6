import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { describe, expect, it, vi } from 'vitest'
import { currentWaitBudget, withoutWaitBudget, withWaitBudget } from '../../src/context/request-context.ts'
import { Heartbeat, WaitBudget } from '../../src/context/wait-budget.ts'

describe('a wait budget', () => {
  it('of a request leaves time to send the response within the promised 2 s', () => {
    expect(postgresWaitMs).toBeLessThanOrEqual(1_800)
  })

  it('is reduced by all waits, including failed ones, and never falls below 0', async () => {
    const now = vi.spyOn(performance, 'now')
    const waitBudget = new WaitBudget(1000)
    const waitFor = (milliseconds: number, outcome: Promise<unknown> = Promise.resolve()) => {
      now.mockReturnValueOnce(0).mockReturnValueOnce(milliseconds)
      return waitBudget.spend(() => outcome)
    }
    await waitFor(300)
    expect(waitBudget.leftMs).toBe(700)
    await expect(waitFor(500, Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(waitBudget.leftMs).toBe(200)
    await waitFor(500)
    expect(waitBudget.leftMs).toBe(0)
    now.mockRestore()
  })

  it('is reduced in a shared wait only by silence since the last heartbeat or the start of the wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const heartbeat = new Heartbeat()
    const waitBudget = new WaitBudget(1000)
    const giveUp = vi.fn()
    const { promise, resolve } = Promise.withResolvers<void>()
    heartbeat.beat()
    vi.advanceTimersByTime(5_000)
    const waiting = waitBudget.spendSilence(promise, heartbeat, giveUp)
    for (let beats = 0; beats < 5; beats++) {
      vi.advanceTimersByTime(900)
      heartbeat.beat()
    }
    vi.advanceTimersByTime(400)
    expect(giveUp).not.toHaveBeenCalled()
    resolve()
    await waiting
    expect(waitBudget.leftMs).toBe(600)
    vi.useRealTimers()
  })

  it('is exhausted in a shared wait once the silence exceeds the budget and the margin', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const waitBudget = new WaitBudget(1000)
    const { promise, reject } = Promise.withResolvers<void>()
    const giveUp = vi.fn(() => reject(new Error('down')))
    const waiting = waitBudget.spendSilence(promise, new Heartbeat(), giveUp, 100)
    vi.advanceTimersByTime(1_099)
    expect(giveUp).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await expect(waiting).rejects.toThrow('down')
    expect(giveUp).toHaveBeenCalledOnce()
    expect(waitBudget.leftMs).toBe(0)
    vi.useRealTimers()
  })

  it('applies only to the work that it was given to', async () => {
    const waitBudget = new WaitBudget(1000)
    await withWaitBudget(waitBudget, async () => {
      await Promise.resolve()
      expect(currentWaitBudget()).toBe(waitBudget)
      await withoutWaitBudget(async () => expect(currentWaitBudget()).toBeUndefined())
    })
    expect(currentWaitBudget()).toBeUndefined()
  })
})
