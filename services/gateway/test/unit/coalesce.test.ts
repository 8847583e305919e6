import { describe, expect, it } from 'vitest'
import { createCoalescer } from '../../src/identity/coalesce.ts'

/** Looks up a key. The test resolves the requests and sees which ones are abandoned. */
function start() {
  const sent: { key: string; waitMs: number; isAbandoned: boolean; answer: PromiseWithResolvers<string> }[] = []
  const coalesce = createCoalescer<string>()
  const ask = (key: string, waitMs = 1000) =>
    coalesce(key, waitMs, (longestMs) => {
      const question = { key, waitMs: longestMs, isAbandoned: false, answer: Promise.withResolvers<string>() }
      sent.push(question)
      const abandon = () => {
        question.isAbandoned = true
        question.answer.reject(new Error('abandoned'))
      }
      return { answer: question.answer.promise, abandon }
    })
  return { sent, ask }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('simultaneous lookups', () => {
  it('share one request per key, with the longest wait of all callers', async () => {
    const { sent, ask } = start()
    const answers = [ask('a', 100), ask('a', 700), ask('b', 50), ask('a', 300)].map(({ answer }) => answer)
    await turn()
    expect(sent).toMatchObject([
      { key: 'a', waitMs: 700 },
      { key: 'b', waitMs: 50 },
    ])
    for (const { key, answer } of sent) answer.resolve(`it is ${key}`)
    expect(await Promise.all(answers)).toEqual(['it is a', 'it is a', 'it is b', 'it is a'])
  })

  it('continue when one caller leaves, and are aborted when the last one leaves', async () => {
    const { sent, ask } = start()
    const [first, second] = [ask('a'), ask('a')]
    await turn()
    first.abandon()
    await expect(first.answer).rejects.toThrow('No response in time')
    expect(sent[0]?.isAbandoned).toBe(false)
    second.abandon()
    await expect(second.answer).rejects.toThrow('No response in time')
    expect(sent[0]?.isAbandoned).toBe(true)
  })

  it('all fail when the request cannot be sent, and are sent again later', async () => {
    const coalesce = createCoalescer<string>()
    const failing = () => {
      throw new Error('no place')
    }
    const both = [coalesce('a', 1, failing), coalesce('a', 1, failing)].map(({ answer }) => answer)
    for (const answer of both) await expect(answer).rejects.toThrow('no place')
    const again = coalesce('a', 1, () => ({ answer: Promise.resolve('good'), abandon: () => {} }))
    expect(await again.answer).toBe('good')
  })
})
