import { isObjectKey } from '@tideport/contracts/internal/object-key'
import { bytesOf, filePath } from '@tideport/contracts/public/paths'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { expect, it } from 'vitest'
import { pathOfKey, placeOfKey } from '../../src/state/key-place.ts'

const isPath = (path: string) => filePath.safeParse(path).data === path

const parts = [
  ...[
    '/',
    '//',
    '.',
    '..',
    '/./',
    '\\',
    '\u0001',
    '\u009f',
    'e\u0301',
    '\u0958',
    '\u{1d160}',
    '日',
    '😀',
    ' ',
    '~',
    '_',
  ],
  ...['a', 'B', '%2e', '\u0301', '\u0338', 'x'.repeat(254), 'y'.repeat(255), '日'.repeat(86), '\u0958'.repeat(200)],
]

function randomKey(random: Random): string {
  let key = ''
  for (let left = Math.ceil(random() * 12); left > 0; left -= 1) {
    const part = parts[Math.floor(random() * parts.length)] ?? ''
    if (bytesOf(key + part) <= 1024) key += part
  }
  return key || 'a'
}

it('gives every key a valid path, and a valid path itself', () =>
  withSeed(async (random) => {
    const fixed = ['/'.repeat(1024), '\u0958'.repeat(341), '\u{1d160}'.repeat(256), `${'a/'.repeat(510)}\u{1d160}`]
    for (const key of [...fixed, ...Array.from({ length: 5_000 }, () => randomKey(random))]) {
      expect(isObjectKey(key), JSON.stringify(key)).toBe(true)
      const path = pathOfKey(key)
      expect(isPath(path), JSON.stringify([key, path])).toBe(true)
      const { folder, name, rawKey } = placeOfKey(key)
      expect([folder + name, rawKey]).toEqual([path, isPath(key) ? null : key])
    }
  }))

it('changes only the parts that no path can have', () => {
  expect(pathOfKey('/a//./../b\\c/')).toBe('_/a/_/_/__/b_c/_')
  expect(pathOfKey('e\u0301/a\n')).toBe('é/a_')
  expect(placeOfKey('2026/a.txt')).toEqual({ folder: '2026/', name: 'a.txt', rawKey: null })
  expect(pathOfKey(`a/${'x'.repeat(256)}`)).toMatch(/^a\/x{238}~[0-9a-f]{16}$/)
  for (const wrong of ['', 'a\0', '\ud800', 'x'.repeat(1025)]) expect(isObjectKey(wrong)).toBe(false)
})
