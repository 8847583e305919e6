import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../src/keys/list-cursor.ts'

const byTime = { sortBy: 'createdAt', order: 'desc', includeRevoked: false } as const
const byName = { ...byTime, sortBy: 'name' } as const
const id = '0198f2a0-0000-7000-8000-000000000001'
const time = '2026-11-20T10:00:00.123Z'

describe('a list cursor', () => {
  it('brings back the position it was made of, any name included', () => {
    expect(decodeCursor(byTime, encodeCursor(byTime, { value: time, id }))).toEqual({ value: time, id })
    const name = 'Ключ "x" \\ 🔑'
    expect(decodeCursor(byName, encodeCursor(byName, { value: name, id }))).toEqual({ value: name, id })
  })

  it.each([
    ['another column', byName],
    ['another order', { ...byTime, order: 'asc' } as const],
    ['another filter', { ...byTime, includeRevoked: true }],
  ])('is refused with %s', (_, other) => {
    const cursor = encodeCursor(byTime, { value: time, id })
    expect(() => decodeCursor(other, cursor)).toThrowError(expect.objectContaining({ code: 'validation_failed' }))
  })

  const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  it.each([
    ['garbage', 'garbage'],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['a time that is none', forged('createdAt', 'desc', false, 'yesterday', id)],
    ['an id that is none', forged('createdAt', 'desc', false, time, 'x')],
    ['more than a position', forged('createdAt', 'desc', false, time, id, 1)],
  ])('made by hand is refused: %s', (_, cursor) => {
    expect(() => decodeCursor(byTime, cursor)).toThrowError(expect.objectContaining({ code: 'validation_failed' }))
  })

  it('with a character that Postgres cannot hold is refused', () => {
    const cursor = forged('name', 'desc', false, 'a\0b', id)
    expect(() => decodeCursor(byName, cursor)).toThrowError(expect.objectContaining({ code: 'validation_failed' }))
  })
})
