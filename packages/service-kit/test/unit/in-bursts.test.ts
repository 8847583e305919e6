import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentTrace, inTrace } from '../../src/context/request-context.ts'
import { inBursts } from '../../src/process/in-bursts.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('runs the first call at once, the following ones together, and after a pause the first one at once again', () => {
  const done: string[] = []
  const soon = inBursts(100)
  const ask = (...names: string[]) => {
    for (const name of names) soon(() => void done.push(name))
  }
  ask('a', 'b')
  vi.advanceTimersByTime(99)
  ask('c')
  expect(done.join('')).toBe('a')
  vi.advanceTimersByTime(1)
  expect(done.join('')).toBe('abc')
  vi.advanceTimersByTime(50)
  ask('d')
  expect(done.join('')).toBe('abc')
  vi.advanceTimersByTime(50)
  expect(done.join('')).toBe('abcd')
  vi.advanceTimersByTime(100)
  ask('e')
  expect(done.join('')).toBe('abcde')
})

it('runs each call in the trace of its caller', () => {
  const soon = inBursts(100)
  const seen: string[] = []
  for (const requestId of ['first', 'second', 'third']) {
    inTrace({ requestId, traceparent: '' }, () => soon(() => void seen.push(currentTrace().requestId)))
  }
  vi.advanceTimersByTime(100)
  expect(seen).toEqual(['first', 'second', 'third'])
})
