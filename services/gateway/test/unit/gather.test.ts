import { describe, expect, it } from 'vitest'
import { gather } from '../../src/identity/gather.ts'

/** Collects what was sent; each batch is answered by hand. */
function collect() {
  const sent: { items: string[]; answer: () => void }[] = []
  const { promise: idle, resolve: onIdle } = Promise.withResolvers<void>()
  const opened = gather<string[]>({
    open: () => [],
    send: (items) => new Promise((answer) => sent.push({ items, answer })),
    onIdle,
  })
  return { sent, idle, add: (item: string) => void opened().push(item) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('gather', () => {
  it('sends as one what comes up in one turn, and then is idle', async () => {
    const { sent, idle, add } = collect()
    for (const item of ['a', 'b', 'c']) add(item)
    expect(sent).toEqual([])
    await turn()
    expect(sent.map(({ items }) => items)).toEqual([['a', 'b', 'c']])
    sent[0]?.answer()
    await idle
  })

  it('never adds to a batch that was sent: what comes later is in the next, sent when the first is answered', async () => {
    const { sent, add } = collect()
    add('a')
    await turn()
    add('b')
    add('c')
    expect(sent.map(({ items }) => items)).toEqual([['a']])
    sent[0]?.answer()
    await turn()
    expect(sent.map(({ items }) => items)).toEqual([['a'], ['b', 'c']])
  })

  it('does not wait for long for one that is not answered', async () => {
    const { sent, add } = collect()
    add('a')
    await turn()
    add('b')
    await expect.poll(() => sent.length).toBe(2)
    expect(sent[1]?.items).toEqual(['b'])
  })
})
