import { postgresWaitMs } from '@tideport/contracts/postgres-wait'
import { describe, expect, it, vi } from 'vitest'
import { currentPatience, Patience, withoutPatience, withPatience } from '../../src/patience.ts'

describe('patience', () => {
  it('is the sum of all waits, those that failed too, and never below 0', async () => {
    const now = vi.spyOn(performance, 'now')
    const patience = new Patience(1000)
    const waitFor = (milliseconds: number, outcome: Promise<unknown> = Promise.resolve()) => {
      now.mockReturnValueOnce(0).mockReturnValueOnce(milliseconds)
      return patience.spend(() => outcome)
    }
    await waitFor(300)
    expect(patience.leftMs).toBe(700)
    await expect(waitFor(500, Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(patience.leftMs).toBe(200)
    await waitFor(500)
    expect(patience.leftMs).toBe(0)
    now.mockRestore()
  })

  it('follows the work it was given to, and only that', async () => {
    const patience = new Patience(1000)
    await withPatience(patience, async () => {
      await Promise.resolve()
      expect(currentPatience()).toBe(patience)
      await withoutPatience(async () => expect(currentPatience()).toBeUndefined())
    })
    expect(currentPatience()).toBeUndefined()
  })

  it('of a request leaves time for the way to the client within the promised 2 s', () => {
    expect(postgresWaitMs).toBeLessThanOrEqual(1_800)
  })
})
