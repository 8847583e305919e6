import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type NamedList, positionParts, sealedCursor, toPage } from '../../src/http/list-cursor.ts'
import { createSecretBox } from '../../src/secrets/secret-box.ts'

const { id, time, microseconds, text } = positionParts
const shape = z.object({ at: time, id })
const box = createSecretBox([Buffer.alloc(32, 1)], { isRepeatable: true })
const list = { reader: 'Ann', list: 'boxes', order: 'desc', color: undefined }
const listCursor = <P>(named: NamedList, of: z.ZodType<P>) => sealedCursor(box, named, of)
const cursors = listCursor(list, shape)
const position = { at: new Date('2026-01-02T03:04:05.006Z'), id: '01890a5d-ac96-774b-bcce-b302099a8057' }
const refused = expect.objectContaining({
  code: 'validation_failed',
  details: { issues: [expect.objectContaining({ path: 'cursor' })] },
})

/** A cursor of this list with this content, which another version may have created. */
const holding = (position: unknown) => listCursor(list, z.unknown()).encode(position)

describe('a list cursor', () => {
  it('returns the last position of a page, including microseconds and any name', () => {
    expect(cursors.decode(cursors.encode(position))).toEqual(position)
    const named = { value: '2026-01-02T03:04:05.678901Z', name: '"\u202e🙂\\', isCut: true }
    const other = listCursor(list, z.object({ value: microseconds, name: text, isCut: z.boolean() }))
    expect(other.decode(other.encode(named))).toEqual(named)
  })

  it('contains only the position of a row', () => {
    const row = { ...position, secret: 'hunter2' }
    expect(cursors.encode(row)).toBe(cursors.encode(position))
  })

  it('is null for the first page', () => {
    expect(cursors.decode(undefined)).toBeNull()
  })

  it('is valid only for the same list, where an undefined filter equals a missing one', () => {
    const cursor = cursors.encode(position)
    expect(listCursor({ order: 'desc', list: 'boxes', reader: 'Ann' }, shape).decode(cursor)).toEqual(position)
    for (const other of [{ list: 'lids' }, { order: 'asc' }, { color: 'red' }, { color: null }, { reader: 'Bob' }]) {
      expect(() => listCursor({ ...list, ...other }, shape).decode(cursor), JSON.stringify(other)).toThrow(refused)
    }
  })

  it('has at most 4,096 characters for the longest name', () => {
    const named = listCursor(list, z.object({ createdAt: time, name: text, id }))
    for (const character of ['🙂', '"']) {
      const cursor = named.encode({
        createdAt: position.at,
        name: character.repeat(1024 / Buffer.byteLength(character)),
        id: position.id,
      })
      expect(cursor.length, character).toBeLessThanOrEqual(4096)
    }
  })

  it('does not reveal the position', () => {
    const named = listCursor(list, z.object({ name: text }))
    const cursor = named.encode({ name: 'a-secret-name' })
    expect(cursor + Buffer.from(cursor.split('.')[2] as string, 'base64url').toString('latin1')).not.toContain('secret')
  })

  it('is rejected with a changed bit, and under another key', () => {
    const cursor = cursors.encode(position)
    const [format, key, sealed] = cursor.split('.') as [string, string, string]
    const bytes = Buffer.from(sealed, 'base64url')
    for (const at of bytes.keys()) {
      const forged = Buffer.from(bytes)
      forged[at] = (forged[at] as number) ^ 1
      expect(() => cursors.decode(`${format}.${key}.${forged.toString('base64url')}`), `byte ${at}`).toThrow(refused)
    }
    const others = sealedCursor(createSecretBox([Buffer.alloc(32, 2)], { isRepeatable: true }), list, shape)
    expect(() => others.decode(cursor)).toThrow(refused)
  })

  it.each([
    ['empty', ''],
    ['invalid base64', '%%%'],
    ['too short', 'v1..AAAA'],
    ['plain JSON', Buffer.from('["",{}]').toString('base64url')],
    ['an invalid time', holding({ at: 'yesterday', id: position.id })],
    ['a time that Postgres cannot read', holding({ at: '0000-01-01T00:00:00.000Z', id: position.id })],
    ['a time in other units', holding({ at: '2026-01-02T03:04:05.678901Z', id: position.id })],
    ['an invalid ID', holding({ at: position.at, id: "' or 1=1" })],
  ])('is rejected: %s', (_what, cursor) => {
    expect(() => cursors.decode(cursor)).toThrow(refused)
  })

  it('is rejected with a character that Postgres cannot store', () => {
    const named = listCursor(list, z.object({ name: text }))
    expect(() => named.decode(holding({ name: 'a\0b' }))).toThrow(refused)
  })
})

describe('a page', () => {
  it('has a cursor only if more rows exist', () => {
    const rows = [1, 2, 3].map((number) => ({ ...position, number }))
    expect(toPage(cursors, rows, 3)).toEqual({ page: rows, nextCursor: null })
    const { page, nextCursor } = toPage(cursors, rows, 2)
    expect([page, cursors.decode(nextCursor ?? undefined)]).toEqual([rows.slice(0, 2), position])
    expect(toPage(cursors, [], 2)).toEqual({ page: [], nextCursor: null })
  })

  it('continues after the searched rows if they did not fill it', () => {
    const end = { ...position, at: new Date('2025-01-01T00:00:00.000Z') }
    const placeOf = ({ nextCursor }: { nextCursor: string | null }) => cursors.decode(nextCursor ?? undefined)
    expect(placeOf(toPage(cursors, [position], 2, end))).toEqual(end)
    expect(placeOf(toPage(cursors, [position, end], 1, end))).toEqual(position)
  })
})
