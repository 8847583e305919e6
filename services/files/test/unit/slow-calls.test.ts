import { describe, expect, it } from 'vitest'
import { createSlowCalls } from '../../src/calls/slow-calls.ts'

/** Calls that finish on command, and a list of the calls that have begun. */
function calls(limits: { perAccount: number; runningMax: number }) {
  const slowCalls = createSlowCalls(limits)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const call = (accountId: string) =>
    slowCalls.run(accountId, async () => {
      begun.push(accountId)
      await new Promise<void>((end) => ends.push(end))
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { call, begun, ends, settled }
}

describe('slow calls', () => {
  it('of one account run two at a time, then wait, then are rejected, without delaying other accounts', async () => {
    const { call, begun, ends, settled } = calls({ perAccount: 4, runningMax: 10 })
    const accepted = ['a', 'a', 'a', 'a'].map(call)
    await expect(call('a')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
    accepted.push(call('b'))
    await settled()
    expect(begun).toEqual(['a', 'a', 'b'])
    ends[0]?.()
    await settled()
    expect(begun).toEqual(['a', 'a', 'b', 'a'])
    for (let next = 1; next < 5; next += 1) {
      ends[next]?.()
      await settled()
    }
    await Promise.all(accepted)
    expect(begun).toHaveLength(5)
  })

  it('of all accounts leave connections for other calls', async () => {
    const { call, begun, ends, settled } = calls({ perAccount: 4, runningMax: 3 })
    const accepted = ['a', 'a', 'b', 'b', 'c'].map(call)
    await settled()
    expect(begun).toEqual(['a', 'a', 'b'])
    for (let next = 0; next < 5; next += 1) {
      ends[next]?.()
      await settled()
    }
    await Promise.all(accepted)
    expect(begun).toEqual(['a', 'a', 'b', 'b', 'c'])
  })

  it('that fail free their slots', async () => {
    const slowCalls = createSlowCalls({ perAccount: 1, runningMax: 1 })
    const failing = () => slowCalls.run('a', () => Promise.reject(new Error('no')))
    await expect(failing()).rejects.toThrow('no')
    await expect(failing()).rejects.toThrow('no')
  })
})
