import { expect, it } from 'vitest'
import { isOver, mergeLogs, type Place } from '../../src/pages/operator/log/merge-logs.ts'

const events = (...times: string[]) => times.map((at) => ({ at }))
const timesOf = (list: readonly { at: string }[]) => list.map(({ at }) => at).join(' ')

it('holds back entries that newer ones may still precede', () => {
  const { items, rest } = mergeLogs([
    { rest: events('9', '7', '5'), cursor: 'more' },
    { rest: events('8', '4', '3'), cursor: null },
  ])
  expect(timesOf(items)).toBe('9 8 7 5')
  expect(rest.map((place) => timesOf(place.rest))).toEqual(['', '4 3'])
  expect(rest.every(isOver)).toBe(false)
})

it('waits for a log whose page was empty', () => {
  const { items, rest } = mergeLogs([
    { rest: [], cursor: 'more' },
    { rest: events('8'), cursor: null },
  ])
  expect([timesOf(items), timesOf(rest[1]?.rest ?? [])]).toEqual(['', '8'])
})

it('shows each event once and in order, whatever the page boundaries', () => {
  const logs = ['97531', '886642'].map((log) => [...log])
  const read = (place: Place<{ at: string }>, index: number): Place<{ at: string }> => {
    if (place.rest.length > 0 || place.cursor === null) return place
    const from = Number(place.cursor ?? 0)
    const all = logs[index] as string[]
    return { rest: events(...all.slice(from, from + 2)), cursor: from + 2 < all.length ? String(from + 2) : null }
  }
  let places: Place<{ at: string }>[] = [{ rest: [] }, { rest: [] }]
  const shown: string[] = []
  while (!places.every(isOver)) {
    const merged = mergeLogs(places.map(read))
    shown.push(...merged.items.map(({ at }) => at))
    places = merged.rest
  }
  expect(shown.join('')).toBe('98876654321')
})
