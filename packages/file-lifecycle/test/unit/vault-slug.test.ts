import { describe, expect, it } from 'vitest'
import { vaultSlug } from '../../src/state/vault-slug.ts'

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
    ['a'.repeat(128), 'a'.repeat(63)],
    ['a', 'a-vault'],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('converts %j to %j', (name, slug) => expect(vaultSlug(name)).toBe(slug))

  it('takes the first free number when the slug is taken, within 63 characters', () => {
    expect(vaultSlug('Photos', new Set(['photos']))).toBe('photos-2')
    expect(vaultSlug('Photos', new Set(['photos', 'photos-2', 'photos-3']))).toBe('photos-4')
    const long = vaultSlug('a'.repeat(128), new Set(['a'.repeat(63)]))
    expect(long).toBe(`${'a'.repeat(61)}-2`)
  })
})
