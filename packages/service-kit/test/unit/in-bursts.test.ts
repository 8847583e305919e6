import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentTrace, inTrace } from '../../src/context/request-context.ts'
import { inBursts } from '../../src/process/in-bursts.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('does the first at once, what follows together, and after a rest the first at once again', () => {
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

it('does each as part of the trace that asked for it', () => {
  const soon = inBursts(100)
  const seen: string[] = []
  for (const requestId of ['first', 'second', 'third']) {
    inTrace({ requestId, traceparent: '' }, () => soon(() => void seen.push(currentTrace().requestId)))
  }
  vi.advanceTimersByTime(100)
  expect(seen).toEqual(['first', 'second', 'third'])
})
