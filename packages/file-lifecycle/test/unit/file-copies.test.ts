import { describe, expect, it } from 'vitest'
import { blobIdOf, readableCopies } from '../../src/state/file-copies.ts'
import type { CopyRow, CopyState } from '../../src/state/tables.ts'

const order = ['a', 'b', 'old']
const copy = (network: string, state: CopyState, blobId: string | null = `of-${network}`) =>
  ({ network, state, blobId }) as CopyRow

describe('the copies that are read', () => {
  it('are those that may hold the bytes, proved before stored before let go, each in the order of networks', () => {
    const copies = [copy('old', 'dropping'), copy('a', 'stored'), copy('elsewhere', 'proved'), copy('b', 'proved')]
    expect(readableCopies(copies, order).map(({ network }) => network)).toEqual(['b', 'elsewhere', 'a', 'old'])
  })

  it('are none that are planned, given up, gone or were never named', () => {
    const copies = [copy('a', 'planned'), copy('b', 'failed'), copy('old', 'dropped'), copy('c', 'stored', null)]
    expect(readableCopies(copies, order)).toEqual([])
  })
})

describe('the blob id that users are told', () => {
  it('is that of the most preferred copy that is stored or proved', () => {
    expect(blobIdOf([copy('b', 'proved'), copy('a', 'stored')], order)).toBe('of-a')
    expect(blobIdOf([copy('a', 'planned'), copy('b', 'stored'), copy('old', 'dropping')], order)).toBe('of-b')
    expect(blobIdOf([copy('a', 'planned'), copy('old', 'dropped')], order)).toBeNull()
  })
})
