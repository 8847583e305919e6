import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listCursor, positionParts, toPage } from '../../src/http/list-cursor.ts'

const { id, time, microseconds, text } = positionParts
const shape = z.object({ at: time, id })
const list = { list: 'boxes', order: 'desc', color: undefined }
const cursors = listCursor(list, shape)
const position = { at: new Date('2026-01-02T03:04:05.006Z'), id: '01890a5d-ac96-774b-bcce-b302099a8057' }
const refused = expect.objectContaining({
  code: 'validation_failed',
  details: { issues: [expect.objectContaining({ path: 'cursor' })] },
})

/** A cursor of this list whose position somebody wrote by hand. */
function forged(...parts: unknown[]): string {
  const [digest] = JSON.parse(Buffer.from(cursors.encode(position), 'base64url').toString()) as [string]
  return Buffer.from(JSON.stringify([digest, ...parts])).toString('base64url')
}

describe('a list cursor', () => {
  it('leads back to where a page ended, microseconds and any name included', () => {
    expect(cursors.decode(cursors.encode(position))).toEqual(position)
    const named = { value: '2026-01-02T03:04:05.678901Z', name: '"\u202e🙂\\', isCut: true }
    const other = listCursor(list, z.object({ value: microseconds, name: text, isCut: z.boolean() }))
    expect(other.decode(other.encode(named))).toEqual(named)
  })

  it('takes of a row what is its position', () => {
    const row = { ...position, secret: 'hunter2' }
    expect(cursors.encode(row)).toBe(cursors.encode(position))
  })

  it('is none on the first page', () => {
    expect(cursors.decode(undefined)).toBeNull()
  })

  it('is good for the same list only, a filter that was not given aside', () => {
    const cursor = cursors.encode(position)
    expect(listCursor({ order: 'desc', list: 'boxes' }, shape).decode(cursor)).toEqual(position)
    for (const other of [{ list: 'lids' }, { order: 'asc' }, { color: 'red' }, { color: null }]) {
      expect(() => listCursor({ ...list, ...other }, shape).decode(cursor), JSON.stringify(other)).toThrow(refused)
    }
  })

  it('is short enough for the longest name', () => {
    const named = listCursor(list, z.object({ createdAt: time, name: text, id }))
    for (const character of ['🙂', '"']) {
      const cursor = named.encode({ createdAt: position.at, name: character.repeat(255), id: position.id })
      expect(cursor.length, character).toBeLessThanOrEqual(2048)
    }
  })

  it.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no JSON', 'AAAA'],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['a digest alone', forged()],
    ['a time that is none', forged({ at: 'yesterday', id: position.id })],
    ['a time that Postgres cannot read', forged({ at: '0000-01-01T00:00:00.000Z', id: position.id })],
    ['a time in other units', forged({ at: '2026-01-02T03:04:05.678901Z', id: position.id })],
    ['an id that is none', forged({ at: position.at, id: "' or 1=1" })],
    ['more than a position', forged({ at: position.at, id: position.id }, 1)],
  ])('made by hand is refused: %s', (_what, cursor) => {
    expect(() => cursors.decode(cursor)).toThrow(refused)
  })

  it('with a character that Postgres cannot hold is refused', () => {
    const named = listCursor(list, z.object({ name: text }))
    expect(() => named.decode(forged({ name: 'a\0b' }))).toThrow(refused)
  })
})

describe('a page', () => {
  it('has a cursor exactly when there is more', () => {
    const rows = [1, 2, 3].map((number) => ({ ...position, number }))
    expect(toPage(cursors, rows, 3)).toEqual({ page: rows, nextCursor: null })
    expect(toPage(cursors, rows, 2)).toEqual({ page: rows.slice(0, 2), nextCursor: cursors.encode(position) })
    expect(toPage(cursors, [], 2)).toEqual({ page: [], nextCursor: null })
  })

  it('goes on behind what was looked through, where that did not fill it', () => {
    const end = { ...position, at: new Date('2025-01-01T00:00:00.000Z') }
    expect(toPage(cursors, [position], 2, end)).toEqual({ page: [position], nextCursor: cursors.encode(end) })
    expect(toPage(cursors, [position, end], 1, end).nextCursor).toBe(cursors.encode(position))
  })
})
