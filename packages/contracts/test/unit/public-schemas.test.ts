import { describe, expect, it } from 'vitest'
import { requestUpload } from '../../src/public/files.ts'
import { isOfType, mimeType, mimeTypeFilter } from '../../src/public/mime-type.ts'
import { listVaults } from '../../src/public/vaults.ts'

const upload = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 1, vaultId: 'any' }
const acceptsUpload = (fields: object) => requestUpload.body.safeParse({ ...upload, ...fields }).success

describe('file names', () => {
  it('are converted to NFC and counted in it', () => {
    expect(requestUpload.body.parse({ ...upload, name: 'e\u0301.txt' }).name).toBe('é.txt')
    expect(acceptsUpload({ name: 'e\u0301'.repeat(255) })).toBe(true)
  })

  it.each(['del\u007f', 'c1\u0085', 'half \ud83d', '😀'.repeat(256)])('rejects %j', (name) => {
    expect(acceptsUpload({ name })).toBe(false)
  })

  it('accept 255 four-byte characters', () => {
    expect(Buffer.byteLength('😀'.repeat(255))).toBe(1020)
    expect(acceptsUpload({ name: '😀'.repeat(255) })).toBe(true)
  })
})

describe('paths', () => {
  const { name: _, ...unnamed } = upload
  const accepts = (fields: object) => requestUpload.body.safeParse({ ...unnamed, ...fields }).success

  it.each([
    'a',
    '2026/photos/beach.jpg',
    '.hidden/..a/b.',
    ' / ',
    'é'.repeat(255),
    `a/${'é'.repeat(127)}`,
    `${'d'.repeat(255)}/a`,
  ])('accepts %j', (path) => expect(accepts({ path })).toBe(true))

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    'a/./b',
    '../a',
    'a/..',
    'a\\b',
    'a/\n/b',
    'nul\u0000/a',
    'half \ud83d/a',
    `a/${'é'.repeat(128)}`,
    'é'.repeat(256),
    `${'a/'.repeat(512)}a`,
  ])('rejects %j', (path) => expect(accepts({ path })).toBe(false))

  it('are converted to NFC and replace the name', () => {
    expect(requestUpload.body.parse({ ...unnamed, path: 'e\u0301/a' }).path).toBe('é/a')
    expect(accepts({})).toBe(false)
    expect(accepts({ name: 'a', path: 'b/a' })).toBe(false)
  })
})

describe('mime types', () => {
  it.each([
    'image/png',
    'text/plain; charset=utf-8',
    'text/plain;charset="utf-8 x"',
    'text/plain ;  charset=utf-8',
    'application/vnd.oasis.opendocument.text',
    'application/ld+json;profile=a;q=1',
    'text/plain; x="; boundary=next"',
    'text/plain; boundaries=2; x-boundary=1',
    'x-multipart/x',
  ])('accepts %j', (value) => expect(mimeType.parse(value)).toBe(value))

  it.each([
    ['text/plain;', 'text/plain'],
    ['text/plain; charset=utf-8 ; ', 'text/plain; charset=utf-8'],
    ['text/plain; a=";";;', 'text/plain; a=";"'],
  ])('have no empty parameter: %j', (written, type) => {
    expect([mimeType.parse(written), mimeTypeFilter.parse(written)]).toEqual([type, type])
  })

  it.each([
    '',
    'png',
    ';',
    `text/plain${';'.repeat(250)}`,
    'text/plain;;a=b',
    'image /png',
    'text/plain\r\nX-Evil: 1',
    'text/plain;\r\nX-Evil=1',
    'text/plain;\ta=b',
    'text/plän',
    'image/*',
    'multipart/mixed',
    'multipart/form-data; boundary=next',
    'Multipart/X-Mixed-Replace;boundary=next',
    'text/plain; boundary=next',
    'text/plain;a=b ; BOUNDARY="next"',
  ])('rejects %j', (value) => expect(mimeType.safeParse(value).success).toBe(false))
})

describe('encryption fields', () => {
  it('are opaque, printable, and limited in length', () => {
    expect(acceptsUpload({ wrappedKey: 'x'.repeat(4096), encryptionIv: 'x'.repeat(256) })).toBe(true)
    expect(acceptsUpload({ wrappedKey: 'x'.repeat(4097) })).toBe(false)
    expect(acceptsUpload({ encryptionIv: 'é' })).toBe(false)
    expect(acceptsUpload({ plaintextChecksumSha256: 'a'.repeat(64) })).toBe(true)
    expect(acceptsUpload({ plaintextChecksumSha256: 'a'.repeat(63) })).toBe(false)
  })
})

it('gives lists defaults and clamps limits above 100', () => {
  expect(listVaults.query.parse({})).toEqual({ limit: 50, sortBy: 'createdAt', order: 'desc' })
  for (const limit of ['101', '99999999999999999999']) expect(listVaults.query.parse({ limit }).limit).toBe(100)
})

it.each(['0', '-1', '1.5', 'ten', '1e1', '0x5', '+5', ' 5', ''])('rejects the list limit %j', (limit) => {
  expect(listVaults.query.safeParse({ limit }).success).toBe(false)
})

describe('filters of types', () => {
  it.each([
    ['text/plain; charset=utf-8', 'text/plain', true],
    ['Text/PLAIN ;charset=utf-8', 'TEXT/plain', true],
    ['text/plain', 'text/*', true],
    ['text/plain; charset=utf-8', 'text/*', true],
    ['application/json', '*/*', true],
    ['text/plain; charset="UTF-8"; format=flowed', 'text/plain;charset=utf-8', true],
    ['text/plain; format=flowed;charset=utf-8', 'text/plain ; CHARSET="utf-8"', true],
    ['text/plain; a="x; y.z"; b=1', 'text/plain; b=1; a="x; y.z"', true],
    ['text/plain', 'text/plain; charset=utf-8', false],
    ['text/plain; charset=utf-16', 'text/plain; charset=utf-8', false],
    ['text/plain; charset=utf-80', 'text/plain; charset=utf-8', false],
    ['text/plain; a="; charset=utf-8;"', 'text/plain; charset=utf-8', false],
    ['text/plain; a=xyz', 'text/plain; a=x.z', false],
    ['text/plainer', 'text/plain', false],
    ['textual/plain', 'text/*', false],
    [`text/plain${';a=b'.repeat(60)}`, 'text/plain; c=d', false],
  ])('for %j with the filter %j: %j', (type, filter, isOf) => {
    expect(mimeTypeFilter.safeParse(filter).success && isOfType(type, filter)).toBe(isOf)
  })

  it.each(['*', '*/png', 'text/*; a=b', 'text', 'text/', '/*', '* / *'])('rejects %j', (filter) =>
    expect(mimeTypeFilter.safeParse(filter).success).toBe(false),
  )
})
