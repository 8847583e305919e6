import { describe, expect, it } from 'vitest'
import { metadataHeaders, readMetadata } from '../../src/labels/metadata.ts'
import { readLabels, readWriteConditions } from '../../src/labels/read-labels.ts'
import { readTagHeader } from '../../src/labels/tags.ts'

const raw = (...pairs: [string, string][]) => ({
  headers: Object.fromEntries(pairs),
  rawHeaders: pairs.flat(),
})

describe('metadata', () => {
  it.each([
    ['ASCII', 'a b,c'],
    ['nothing', ''],
    ['UTF-8, as Node reads it', Buffer.from('é 日本').toString('latin1')],
    ['other bytes', 'Hello World\u00e9'],
    ['an encoded word', '=?ISO-8859-1?B?6Q==?='],
    ['an encoded word of UTF-8', '=?UTF-8?Q?=C3=A9?='],
  ])('returns the bytes of %s as they came', (_, value) => {
    const metadata = readMetadata(raw(['X-Amz-Meta-Name', value]))
    expect(metadataHeaders(metadata)).toEqual({ 'x-amz-meta-name': value })
  })

  it('has readable text of UTF-8, and encodes what no header can have', () => {
    expect(readMetadata(raw(['x-amz-meta-a', Buffer.from('日').toString('latin1')]))).toEqual({ a: '日' })
    expect(metadataHeaders({ a: 'one\ntwo', 'b c': 'not a name' })).toEqual({
      'x-amz-meta-a': `=?UTF-8?B?${Buffer.from('one\ntwo').toString('base64')}?=`,
    })
  })

  it('joins repeated headers, and is at most 2 KB', () => {
    expect(readMetadata(raw(['x-amz-meta-a', '1'], ['X-AMZ-META-A', '2']))).toEqual({ a: '1,2' })
    expect(() => readMetadata(raw(['x-amz-meta-a', 'x'.repeat(2048)]))).toThrow(
      expect.objectContaining({ code: 'MetadataTooLarge' }),
    )
  })
})

describe('labels', () => {
  it('are the headers of the object, without the encoding of the transfer', () => {
    const sent = raw(['content-type', 'a/b'], ['content-encoding', 'gzip,aws-chunked'], ['expires', 'soon'])
    expect(readLabels(sent)).toEqual({
      mimeType: 'a/b',
      headers: { 'content-encoding': 'gzip', expires: 'soon' },
      metadata: {},
    })
    expect(readLabels(raw()).mimeType).toBe('binary/octet-stream')
  })

  it.each([
    ['x-amz-server-side-encryption', 'AES256', 'NotImplemented'],
    ['x-amz-object-lock-legal-hold', 'ON', 'NotImplemented'],
    ['x-amz-object-lock-retain-until-date', '2020-01-01T00:00:00Z', 'InvalidArgument'],
    ['x-amz-storage-class', 'COLD', 'InvalidStorageClass'],
    ['x-amz-website-redirect-location', 'elsewhere', 'InvalidRedirectLocation'],
  ])('refuse %s: %s', (name, value, code) => {
    expect(() => readLabels(raw([name, value]))).toThrow(expect.objectContaining({ code }))
  })
})

it.each([[{ 'if-none-match': '"tag"' }], [{ 'if-none-match': '*', 'if-match': '"tag"' }]])(
  'a write refuses the conditions %j',
  (headers) => {
    expect(() => readWriteConditions({ headers })).toThrow(expect.objectContaining({ code: 'NotImplemented' }))
  },
)

describe('tags', () => {
  it('are decoded', () => expect(readTagHeader('a+b=%2B&c=')).toEqual({ 'a b': '+', c: '' }))

  it.each([
    ['a=1&a=2', 'InvalidArgument'],
    ['a=%ff', 'InvalidArgument'],
    ['a=b=c', 'InvalidArgument'],
    ['=b', 'InvalidTag'],
    ['aws:a=b', 'InvalidTag'],
    [`${'a'.repeat(129)}=b`, 'InvalidTag'],
    ['a=%00', 'InvalidTag'],
    [Array.from({ length: 11 }, (_, index) => `a${index}=`).join('&'), 'BadRequest'],
  ])('refuse %s', (header, code) => {
    expect(() => readTagHeader(header)).toThrow(expect.objectContaining({ code }))
  })
})
