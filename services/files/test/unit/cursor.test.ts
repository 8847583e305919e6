import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../src/lists/cursor.ts'

const byTime = { list: 'files', sortBy: 'createdAt', order: 'desc' } as const
const byName = { ...byTime, sortBy: 'name' } as const
const id = '01890a5d-ac96-774b-bcce-b302099a8057'
const moment = { value: '2026-01-02T03:04:05.678901Z', id, isCut: false }
const raw = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const digest = (JSON.parse(Buffer.from(encodeCursor(byTime, moment), 'base64url').toString()) as string[])[0]
const nameDigest = (JSON.parse(Buffer.from(encodeCursor(byName, moment), 'base64url').toString()) as string[])[0]

describe('list cursors', () => {
  it('come back as they were, microseconds and any name included', () => {
    expect(decodeCursor(byTime, encodeCursor(byTime, moment))).toEqual(moment)
    const named = { value: '"\u202e🙂\\', id, isCut: true }
    expect(decodeCursor(byName, encodeCursor(byName, named))).toEqual(named)
  })

  it('are short enough for the longest name', () => {
    expect(encodeCursor(byName, { value: '🙂'.repeat(255), id, isCut: false }).length).toBeLessThanOrEqual(2048)
    expect(encodeCursor(byName, { value: '"'.repeat(255), id, isCut: false }).length).toBeLessThanOrEqual(2048)
  })

  it.each([
    ['another sort', byName, encodeCursor(byTime, moment)],
    ['another order', { ...byTime, order: 'asc' as const }, encodeCursor(byTime, moment)],
    ['another filter', { ...byTime, status: ['hot'] }, encodeCursor(byTime, moment)],
    ['another list', { ...byTime, list: 'vaults' }, encodeCursor(byTime, moment)],
    ['no base64', byTime, '%%%'],
    ['no JSON', byTime, 'AAAA'],
    ['a time Postgres cannot read', byTime, raw([digest, '0000-01-01T00:00:00.000000Z', id, false])],
    ['a time that is none', byTime, raw([digest, 'now', id, false])],
    ['an id that is none', byTime, raw([digest, moment.value, "' or 1=1", false])],
    ['a NUL in the name', byName, raw([nameDigest, 'a\0', id, false])],
    ['more than was asked for', byTime, raw([digest, moment.value, id, false, 1])],
  ])('are refused with 400 for %s', (_what, list, cursor) => {
    expect(() => decodeCursor(list, cursor)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})
