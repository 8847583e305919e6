import { describe, expect, it } from 'vitest'
import { vaultSlug } from '../../src/vaults/insert-vault.ts'

describe('vaultSlug', () => {
  it.each([
    ['Holiday Photos', 'holiday-photos'],
    ['Crème  brûlée!', 'creme-brulee'],
    ['ＦＵＬＬ width ①', 'full-width-1'],
    ['İstanbul', 'istanbul'],
    ['--a__b..c--', 'a-b-c'],
    ['日本語', 'vault'],
    ['🙂', 'vault'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a'.repeat(128), 'a'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ])('converts %j to %j', (name, slug) => expect(vaultSlug(name)).toBe(slug))

  it('takes the first free number when the slug is taken, within 64 characters', () => {
    expect(vaultSlug('Photos', new Set(['photos']))).toBe('photos-2')
    expect(vaultSlug('Photos', new Set(['photos', 'photos-2', 'photos-3']))).toBe('photos-4')
    const long = vaultSlug('a'.repeat(128), new Set(['a'.repeat(64)]))
    expect(long).toBe(`${'a'.repeat(62)}-2`)
  })
})
