import { expect, it } from 'vitest'
import { openDeadline } from '../../src/process/deadline.ts'

it('aborts with a TimeoutError when its time is over', async () => {
  using deadline = openDeadline(1)
  await expect.poll(() => deadline.signal.aborted).toBe(true)
  expect(deadline.isOver()).toBe(true)
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' })
})

it.each(['before', 'meanwhile'])('aborts with the reason of its parent, which aborted %s', (when) => {
  const parent = new AbortController()
  const reason = new Error('stopped')
  if (when === 'before') parent.abort(reason)
  using deadline = openDeadline(60_000, parent.signal)
  parent.abort(reason)
  expect(deadline.signal.reason).toBe(reason)
  expect(deadline.isOver()).toBe(false)
})

it('does not react to its parent after disposal', () => {
  const parent = new AbortController()
  const deadline = openDeadline(60_000, parent.signal)
  deadline[Symbol.dispose]()
  parent.abort()
  expect(deadline.signal.aborted).toBe(false)
})
