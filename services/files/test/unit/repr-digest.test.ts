import { expect, it } from 'vitest'
import { reprDigestOf } from '../../src/downloads/repr-digest.ts'

const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const sha256Field = 'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'
const digests = { crc32c: 'mnG7TA==', md5: 'XUFAKrxLKna5cZ2REBfFkg==', crc64nvme: 'c29tZXRoaW5n-3' }

it.each([
  [undefined, sha256Field],
  ['crc32c=1, md5=5', 'md5=:XUFAKrxLKna5cZ2REBfFkg==:'],
  ['md5=0, crc32c=10;q', 'crc32c=:mnG7TA==:'],
  ['unixsum=9', sha256Field],
  ['crc64nvme=9', sha256Field],
  ['md5=11, =, ,', sha256Field],
])('chooses the digest for Want-Repr-Digest: %s', (wanted, expected) => {
  expect(reprDigestOf({ sha256, digests }, wanted)).toBe(expected)
})

it('sends no digest while none is known', () => {
  expect(reprDigestOf({ sha256: null, digests: null }, 'sha-256=1')).toBeUndefined()
})
