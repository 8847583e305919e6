import { expect, it } from 'vitest'
import { storedContentEncoding } from '../../src/body/decode-body.ts'

it('stores Content-Encoding without aws-chunked', () => {
  expect(storedContentEncoding(undefined)).toBeUndefined()
  expect(storedContentEncoding('aws-chunked')).toBeUndefined()
  expect(storedContentEncoding('AWS-Chunked, gzip')).toBe('gzip')
  expect(storedContentEncoding('deflate,gzip,aws-chunked')).toBe('deflate, gzip')
})
