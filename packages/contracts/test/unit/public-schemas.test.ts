import { describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/public/api-keys.ts'
import { listFiles, requestUpload } from '../../src/public/files.ts'
import { mimeType } from '../../src/public/mime-type.ts'
import { createVault, listVaults, updateVault } from '../../src/public/vaults.ts'
import { createWebhook } from '../../src/public/webhooks.ts'

const upload = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 1, vaultId: 'any' }
const acceptsUpload = (fields: object) => requestUpload.body.safeParse({ ...upload, ...fields }).success
const acceptsVaultName = (name: string) => createVault.body.safeParse({ name, visibility: 'public' }).success

describe('file names', () => {
  it.each([
    'résumé (final).pdf',
    '👩‍👩‍👧‍👦.png',
    '..',
    'con.txt',
    ' leading and trailing ',
    '<script>alert(1)',
    "'; drop table file; --",
    '\u202Efdp.exe',
    'separator\u2028 between',
  ])('keeps %j exactly as sent', (name) => {
    expect(requestUpload.body.parse({ ...upload, name }).name).toBe(name)
  })

  it('are composed as they come in, and counted as that', () => {
    expect(requestUpload.body.parse({ ...upload, name: 'e\u0301.txt' }).name).toBe('é.txt')
    expect(acceptsUpload({ name: 'e\u0301'.repeat(255) })).toBe(true)
  })

  it.each([
    '',
    'a/b',
    'a\\b',
    'nul\u0000',
    'line\nbreak',
    'del\u007f',
    'c1\u0085',
    'half \ud83d',
    'a'.repeat(256),
    '😀'.repeat(256),
  ])('refuses %j', (name) => {
    expect(acceptsUpload({ name })).toBe(false)
  })

  it('may have 255 characters of the widest kind', () => {
    expect(Buffer.byteLength('😀'.repeat(255))).toBe(1020)
    expect(acceptsUpload({ name: '😀'.repeat(255) })).toBe(true)
  })
})

describe('paths', () => {
  const { name: _, ...unnamed } = upload
  const accepts = (fields: object) => requestUpload.body.safeParse({ ...unnamed, ...fields }).success

  it.each(['a', '2026/photos/beach.jpg', '.hidden/..a/b.', ' / ', 'é'.repeat(127), `${'d'.repeat(255)}/a`])(
    'takes %j',
    (path) => expect(accepts({ path })).toBe(true),
  )

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
    'é'.repeat(128),
    `${'a/'.repeat(512)}a`,
  ])('refuses %j', (path) => expect(accepts({ path })).toBe(false))

  it('are composed, and stand in place of a name', () => {
    expect(requestUpload.body.parse({ ...unnamed, path: 'e\u0301/a' }).path).toBe('é/a')
    expect(accepts({})).toBe(false)
    expect(accepts({ name: 'a', path: 'b/a' })).toBe(false)
  })
})

describe('vault names', () => {
  it('takes 1 to 128 characters of any kind but control characters', () => {
    expect(acceptsVaultName('/')).toBe(true)
    expect(acceptsVaultName('😀'.repeat(128))).toBe(true)
    expect(acceptsVaultName('😀'.repeat(129))).toBe(false)
    expect(acceptsVaultName('')).toBe(false)
    expect(acceptsVaultName('tab\t')).toBe(false)
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
  ])('takes %j', (value) => expect(mimeType.parse(value)).toBe(value))

  it.each([
    '',
    'png',
    'image/',
    '/png',
    'image/png;',
    'image /png',
    'a/b/c',
    'text/plain\r\nX-Evil: 1',
    'text/plain;\r\nX-Evil=1',
    'text/plain;\ta=b',
    'text/plain;\u00a0a=b',
    'text/plän',
    'image/*',
    '*/*',
    '*/png',
    'image/p*g',
    'multipart/mixed',
    'multipart/form-data; boundary=next',
    'Multipart/X-Mixed-Replace;boundary=next',
    'text/plain; boundary=next',
    'text/plain;a=b ; BOUNDARY="next"',
  ])('refuses %j', (value) => expect(mimeType.safeParse(value).success).toBe(false))
})

describe('sizes', () => {
  it.each([0, 1, 5 * 1024 ** 3, Number.MAX_SAFE_INTEGER])('takes %d', (sizeBytes) => {
    expect(acceptsUpload({ sizeBytes })).toBe(true)
  })

  it.each(['5', -1, 1.5, 2 ** 53, 2 ** 53 + 2, Number.POSITIVE_INFINITY, Number.NaN, null, true, [5]])(
    'refuses %j',
    (sizeBytes) => {
      expect(acceptsUpload({ sizeBytes })).toBe(false)
    },
  )

  it('refuses 2^53 + 1 as it arrives in JSON', () => {
    expect(acceptsUpload(JSON.parse('{"sizeBytes": 9007199254740993}'))).toBe(false)
  })
})

describe('encryption fields', () => {
  it('are opaque, printable and bounded', () => {
    expect(acceptsUpload({ wrappedKey: 'x'.repeat(4096), encryptionIv: 'x'.repeat(256) })).toBe(true)
    expect(acceptsUpload({ wrappedKey: 'x'.repeat(4097) })).toBe(false)
    expect(acceptsUpload({ encryptionIv: 'é' })).toBe(false)
    expect(acceptsUpload({ plaintextChecksumSha256: 'a'.repeat(64) })).toBe(true)
    expect(acceptsUpload({ plaintextChecksumSha256: 'a'.repeat(63) })).toBe(false)
  })
})

describe('request bodies', () => {
  it('ignore fields they do not know, without touching prototypes', () => {
    const body = JSON.parse('{"name":"x","visibility":"public","extra":1,"__proto__":{"polluted":true}}')
    expect(createVault.body.parse(body)).toEqual({ name: 'x', visibility: 'public' })
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  it('refuse to change a visibility, whatever it is said to be', () => {
    for (const visibility of ['public', 'private', null, 1]) {
      const result = updateVault.body.safeParse({ name: 'x', visibility })
      expect(result.error?.issues[0]?.message).toBe('Visibility is set at creation and cannot be changed')
    }
    expect(updateVault.body.safeParse({ name: 'x' }).success).toBe(true)
  })

  it('refuse an empty or unknown list of scopes, and take none as full access', () => {
    const accepts = (scopes: unknown) => createApiKey.body.safeParse({ name: 'ci', scopes }).success
    expect([undefined, null, ['files:write']].map(accepts)).toEqual([true, true, true])
    expect([[], ['files:admin'], 'files:write'].map(accepts)).toEqual([false, false, false])
  })

  it('refuse a webhook without events and fold repeated ones', () => {
    const url = 'https://receiver.example/hook'
    expect(createWebhook.body.safeParse({ url, events: [] }).success).toBe(false)
    expect(createWebhook.body.safeParse({ url, events: ['file.gone'] }).success).toBe(false)
    expect(createWebhook.body.parse({ url, events: ['file.hot', 'file.hot'] }).events).toEqual(['file.hot'])
  })
})

describe('list queries', () => {
  it('have defaults, and clamp a limit that is too large', () => {
    expect(listVaults.query.parse({})).toEqual({ limit: 50, sortBy: 'createdAt', order: 'desc' })
    for (const limit of ['101', '5000', '99999999999999999999']) {
      expect(listVaults.query.parse({ limit }).limit).toBe(100)
    }
  })

  it.each(['0', '-1', '1.5', 'ten', 'NaN', '1e1', '0x5', '+5', ' 5', ''])('refuse the limit %j', (limit) => {
    expect(listVaults.query.safeParse({ limit }).success).toBe(false)
  })

  it('take one status or several', () => {
    expect(listFiles.query.parse({ status: 'hot' }).status).toEqual(['hot'])
    expect(listFiles.query.parse({ status: ['hot', 'cold'] }).status).toEqual(['hot', 'cold'])
    expect(listFiles.query.safeParse({ status: 'gone' }).success).toBe(false)
  })
})
