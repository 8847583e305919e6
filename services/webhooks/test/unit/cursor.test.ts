import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor, toPage } from '../../src/subscriptions/cursor.ts'

const position = { createdAt: new Date('2026-01-02T03:04:05.006Z'), id: '01890a5d-ac96-774b-bcce-b302099a8057' }
const refused = expect.objectContaining({ code: 'validation_failed' })

describe('cursor', () => {
  it('leads back to where a page ended', () => {
    expect(decodeCursor('list', encodeCursor('list', position))).toEqual(position)
  })

  it.each(['', 'x', 'bnVsbA', Buffer.from('["list",1]').toString('base64url')])('refuses %j', (cursor) => {
    expect(() => decodeCursor('list', cursor)).toThrow(refused)
  })

  it('is refused by a list with another order or filter', () => {
    expect(() => decodeCursor('list asc', encodeCursor('list desc', position))).toThrow(refused)
  })

  it('is given exactly when there is more', () => {
    const rows = [1, 2, 3].map((number) => ({ ...position, number }))
    expect(toPage('list', rows, 3)).toEqual({ page: rows, nextCursor: null })
    expect(toPage('list', rows, 2)).toEqual({ page: rows.slice(0, 2), nextCursor: encodeCursor('list', position) })
    expect(toPage('list', [], 2)).toEqual({ page: [], nextCursor: null })
  })

  it('goes on behind what was looked through for a short page', () => {
    const end = { ...position, createdAt: new Date('2025-01-01T00:00:00.000Z') }
    expect(toPage('list', [position], 2, end)).toEqual({ page: [position], nextCursor: encodeCursor('list', end) })
    expect(toPage('list', [position, end], 1, end).nextCursor).toBe(encodeCursor('list', position))
  })
})
