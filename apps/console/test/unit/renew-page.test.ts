import { expect, it } from 'vitest'
import { type PageAt, renewPage } from '../../src/api/pages-query.ts'
import type { Entry } from '../../src/pages/files/entries.ts'

const entry = (name: string): Entry => ({ kind: 'folder', key: `folder:${name}`, name, path: name })
const page = (cursor: string | undefined, names: string, nextCursor: string | null): PageAt<Entry> => ({
  cursor,
  page: { items: names.split(' ').map(entry), nextCursor, readAt: 0, isStale: true },
})

/** A list with three entries per page. A cursor is the name before its page. */
function listOf(names: string) {
  const all = names.split(' ')
  const asked: (string | undefined)[] = []
  const ask = async (cursor: string | undefined) => {
    asked.push(cursor)
    const behind = cursor === undefined ? all : all.filter((name) => name > cursor)
    const items = behind.slice(0, 3).map(entry)
    return { items, nextCursor: behind.length > 3 ? (items.at(-1)?.name as string) : null }
  }
  return { ask, asked }
}

const placeOf = ({ key, path }: Entry) => `${key} ${path}`
const behind = [page('c', 'd e f', 'f'), page('f', 'g h i', 'i')]

it.each([
  { what: 'no change', now: 'a b c d e f g', has: 'a b c', next: 'c', asks: 1 },
  { what: 'a removed entry', now: 'a c d e f g', has: 'a c', next: 'c', asks: 1 },
  { what: 'added entries', now: 'a aa ab b c d e', has: 'a aa ab b c', next: 'c', asks: 2 },
  { what: 'the removal of all entries up to a later page', now: 'h i j', has: '', next: 'f', asks: 1 },
  { what: 'the removal of all later entries', now: 'a b', has: 'a b', next: null, asks: 1 },
  {
    what: 'more entries than it reads',
    now: 'a a1 a2 a3 a4 a5 a6 a7 a8 a9 b',
    has: 'a a1 a2 a3 a4 a5 a6 a7 a8',
    next: 'a8',
    asks: 3,
  },
])('refetches a page with $what', async ({ now, has, next, asks }) => {
  const { ask, asked } = listOf(now)
  const { items, nextCursor, isStale } = await renewPage(undefined, behind, ask, placeOf)
  expect([items.map(({ name }) => name).join(' '), nextCursor, isStale]).toEqual([has, next, false])
  expect(asked).toHaveLength(asks)
})

it('continues past the position of a file that moved forward', async () => {
  const moved = { ...entry('a1'), key: 'folder:e' }
  const ask = async () => ({ items: [entry('a'), moved, entry('b'), entry('d')], nextCursor: 'd' })
  const { items, nextCursor } = await renewPage(undefined, behind, ask, placeOf)
  expect([items.map(({ name }) => name), nextCursor]).toEqual([['a', 'a1', 'b'], 'c'])
})
