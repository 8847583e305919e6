import { describe, expect, it } from 'vitest'
import { blobIdOf, possibleSources, readableCopies } from '../../src/state/file-copies.ts'
import type { CopyRow, CopyState } from '../../src/state/tables.ts'

const order = ['a', 'b', 'old', 'older']
const names = { required: ['a', 'b'], order }
const copy = (network: string, state: CopyState, facts: Partial<CopyRow> = {}) =>
  ({ network, state, blobId: `of-${network}`, storedAt: new Date(0), lostAt: null, ...facts }) as CopyRow

describe('readable copies', () => {
  const placesOf = (...copies: CopyRow[]) => readableCopies(copies, names).map(({ network }) => network)

  it('are ordered from required to leaving networks', () => {
    expect(placesOf(copy('old', 'proved'), copy('a', 'stored'))).toEqual(['a', 'old'])
    expect(placesOf(copy('elsewhere', 'proved'), copy('old', 'stored'), copy('b', 'stored'))).toEqual([
      'b',
      'elsewhere',
      'old',
    ])
  })

  it('of one role are ordered by state (proved, stored, dropping), then by network', () => {
    expect(placesOf(copy('a', 'stored'), copy('b', 'proved'))).toEqual(['b', 'a'])
    expect(placesOf(copy('b', 'proved'), copy('a', 'proved'))).toEqual(['a', 'b'])
    expect(placesOf(copy('old', 'dropping'), copy('older', 'stored'))).toEqual(['older', 'old'])
    expect(placesOf(copy('older', 'proved'), copy('old', 'proved'))).toEqual(['old', 'older'])
  })

  it('exclude planned, failed, dropped, and unnamed copies', () => {
    const copies = [
      copy('a', 'planned'),
      copy('b', 'failed'),
      copy('old', 'dropped'),
      copy('c', 'stored', { blobId: null }),
    ]
    expect(readableCopies(copies, names)).toEqual([])
  })

  it('exclude dropping copies that were never stored or are lost', () => {
    const copies = [copy('old', 'dropping', { storedAt: null }), copy('older', 'dropping', { lostAt: new Date(0) })]
    expect(readableCopies(copies, names)).toEqual([])
    expect(possibleSources(copies, names)).toEqual(copies)
  })
})

describe('the blob ID for users', () => {
  it('is that of the most preferred stored or proved copy', () => {
    expect(blobIdOf([copy('b', 'proved'), copy('a', 'stored')], order)).toBe('of-a')
    expect(blobIdOf([copy('a', 'planned'), copy('b', 'stored'), copy('old', 'dropping')], order)).toBe('of-b')
    expect(blobIdOf([copy('a', 'planned'), copy('old', 'dropped')], order)).toBeNull()
  })
})
