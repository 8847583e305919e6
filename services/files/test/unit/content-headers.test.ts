import { parse } from 'content-disposition'
import { describe, expect, it } from 'vitest'
import { contentDisposition } from '../../src/downloads/download-target.ts'

const typeOf = (mimeType: string) => parse(contentDisposition({ name: 'a', mimeType })).type

describe('contentDisposition', () => {
  it('is attachment for any type if the caller requires it', () => {
    expect(parse(contentDisposition({ name: 'a.png', mimeType: 'image/png' }, 'attachment')).type).toBe('attachment')
  })

  it.each([
    'image/png',
    'IMAGE/JPEG',
    'image/webp; q=1',
    'audio/mpeg',
    'video/mp4',
    'application/pdf',
    'text/plain;charset=utf-8',
  ])('is inline for %s', (mimeType) => expect(typeOf(mimeType)).toBe('inline'))

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'text/javascript',
    'application/wasm',
    'text/css',
    'application/octet-stream',
    'image/png+xml',
    'application/pdfx',
    'text/plain-html',
    'audio/x+xml',
    'video/x+xml; codecs=a',
  ])('is attachment for %s, which may contain a program', (mimeType) => expect(typeOf(mimeType)).toBe('attachment'))

  it.each([
    'a"b\\c.txt',
    '文件 🙂.pdf',
    'a%20b;filename=evil.exe',
    "it's.txt",
    'r\u202etxt.exe',
    'é.txt',
    ' ',
    '..',
    '%0d%0aSet-Cookie: a',
  ])('contains the complete name %j in one line of ASCII', (name) => {
    const header = contentDisposition({ name, mimeType: 'text/html' })
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    const parsed = parse(header)
    expect(parsed.type).toBe('attachment')
    expect(parsed.parameters.filename).toBe(name)
  })
})

describe('the filename parameter', () => {
  it.each(['=?utf-8?Q?evil.exe?=', 'a%41.txt', 'a"b.txt', ' a.txt', 'é.txt', '_'])(
    'contains no part of %j that a browser would decode',
    (name) => {
      const plain = /; filename=(.*?)(?:;|$)/.exec(contentDisposition({ name, mimeType: 'text/html' }))?.[1]
      expect(plain).toMatch(/^"?[\w. -]+"?$/)
    },
  )
})
