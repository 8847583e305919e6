import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLane } from '../../src/embedded/disk-call-limiter.ts'

/** Calls that do not return until they are released. */
function hangingCalls() {
  const held: (() => void)[] = []
  return {
    begun: () => held.length,
    hang: () => new Promise<string>((resolve) => held.push(() => resolve('late'))),
    letGo: () => {
      for (const go of held) go()
    },
  }
}

const hangs = (code: string) => ({ code, fault: 'hanging' })

describe('a limiter of disk calls', () => {
  it('runs no more concurrent calls than its width, and runs all of them', async () => {
    const lane = createLane({ width: 2, deadlineMs: 10_000 })
    let underWay = 0
    let most = 0
    const call = async (answer: number) => {
      most = Math.max(most, ++underWay)
      await delay(1)
      underWay--
      if (answer === 3) throw new Error('the fourth')
      return answer
    }
    const answers = await Promise.allSettled([0, 1, 2, 3, 4, 5].map((answer) => lane.run(() => call(answer))))
    expect(answers.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true])
    expect(most).toBe(2)
  })

  it('rejects waiting and new calls immediately while all slots are blocked, and continues when one call returns', async () => {
    const lane = createLane({ width: 2, deadlineMs: 20 })
    const { hang, letGo, begun } = hangingCalls()
    const stuck = [lane.run(hang), lane.run(hang)]
    const waits = lane.run(hang)
    for (const call of stuck) await expect(call).rejects.toMatchObject(hangs('copy_failed'))
    await expect(waits).rejects.toMatchObject(hangs('unreachable'))
    for (let count = 0; count < 100; count++) {
      await expect(lane.run(hang)).rejects.toMatchObject(hangs('unreachable'))
    }
    expect(begun()).toBe(2)
    letGo()
    await Promise.resolve()
    expect(await lane.run(async () => 'well')).toBe('well')
  })

  it('disposes of the late result of a timed-out call without blocking others', async () => {
    const lane = createLane({ width: 1, deadlineMs: 20 })
    const { hang, letGo } = hangingCalls()
    const dropped: string[] = []
    await expect(lane.run(hang, async (late) => dropped.push(late))).rejects.toMatchObject(hangs('copy_failed'))
    await lane.tidy(async () => dropped.push('tidied'))
    expect(dropped).toEqual([])
    letGo()
    await expect.poll(() => dropped.toSorted()).toEqual(['late', 'tidied'])
  })

  it('stops waiting for a cleanup call when all slots are blocked', async () => {
    const lane = createLane({ width: 1, deadlineMs: 20 })
    const { hang, letGo } = hangingCalls()
    const stuck = lane.run(hang)
    const tidied = lane.tidy(async () => undefined)
    await expect(stuck).rejects.toMatchObject(hangs('copy_failed'))
    await tidied
    letGo()
  })
})
