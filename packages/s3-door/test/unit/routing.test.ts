import { describe, expect, it } from 'vitest'
import { readSource } from '../../src/operations/copy-source.ts'
import { findOperation } from '../../src/routing/operation.ts'
import { readTarget } from '../../src/routing/target.ts'

const read = (target: string, host = 's3.test:9000') => readTarget(target, host, ['s3.test'])

describe('a request target', () => {
  it.each([
    ['/', undefined, undefined],
    ['/bucket', 'bucket', undefined],
    ['/bucket/', 'bucket', undefined],
    ['/bucket/a//../b%2F+%20/', 'bucket', 'a//../b/+ /'],
    ['/bucket//a', 'bucket', '/a'],
    ['/bucket/%E6%97%A5?acl', 'bucket', '日'],
    ['/bucket/a%3Fb%23', 'bucket', 'a?b#'],
  ])('%s names the bucket and the key byte for byte', (target, bucket, key) => {
    expect(read(target)).toMatchObject({ bucket, key })
  })

  it('takes the bucket from the host below a known one, in any case, and from no other host', () => {
    expect(read('/a/b', 'my.bucket.S3.test:1')).toMatchObject({ bucket: 'my.bucket', key: 'a/b' })
    expect(read('/', 'bucket.s3.test')).toMatchObject({ bucket: 'bucket', key: undefined })
    expect(read('/a/b', 'bucket.evil-s3.test')).toMatchObject({ bucket: 'a', key: 'b' })
  })

  it.each([
    ['http://other.test/bucket/key', 'InvalidURI'],
    ['/bucket/%zz', 'InvalidURI'],
    ['/bucket/%ff', 'InvalidURI'],
    ['/bucket/\u00e9', 'InvalidURI'],
    ['/bucket/a%00b', 'InvalidArgument'],
    [`/bucket/${'a'.repeat(1025)}`, 'KeyTooLongError'],
    ['//key', 'InvalidBucketName'],
  ])('%s is refused', (target, code) => {
    expect(() => read(target)).toThrow(expect.objectContaining({ code }))
  })
})

it.each([
  ['/bucket/a%3FversionId%3Dnull', 'a?versionId=null'],
  ['bucket/a%2Fb%20c?versionId=null', 'a/b c'],
])('the copy source %s is the key %s', (source, key) => {
  const call = { request: { headers: { 'x-amz-copy-source': source } } } as unknown as Parameters<typeof readSource>[0]
  expect(readSource(call)).toMatchObject({ bucket: 'bucket', key })
})

describe('an operation', () => {
  const find = (method: string, target: string, headers = {}) => findOperation(method, read(target), headers)

  it.each([
    ['GET', '/', 'ListBuckets'],
    ['GET', '/b?list-type=2&prefix=a', 'ListObjectsV2'],
    ['GET', '/b?list-type=1', 'ListObjects'],
    ['GET', '/b/k?versionId=null', 'GetObject'],
    ['PUT', '/b/k?partNumber=1&uploadId=u', 'UploadPart'],
    ['POST', '/b?delete', 'DeleteObjects'],
    ['POST', '/b/k?uploads=', 'CreateMultipartUpload'],
    ['OPTIONS', '/b/k', 'Preflight'],
  ])('%s %s is %s', (method, target, name) => {
    expect(find(method, target)).toBe(name)
  })

  it('is a copy with a source', () => {
    const headers = { 'x-amz-copy-source': 'b/k' }
    expect(find('PUT', '/b/k', headers)).toBe('CopyObject')
    expect(find('PUT', '/b/k?uploadId=u&partNumber=1', headers)).toBe('UploadPartCopy')
    expect(find('GET', '/b/k', headers)).toBe('GetObject')
    expect(find('PUT', '/b/k?X-Amz-Signature=s&x-amz-copy-source=b%2Fk')).toBe('CopyObject')
    expect(find('PUT', '/b/k?x-amz-copy-source=b%2Fk')).toBe('PutObject')
  })

  it.each([
    ['GET', '/b?versioning', 'NotImplemented'],
    ['PUT', '/b/k?legal-hold', 'NotImplemented'],
    ['DELETE', '/b?lifecycle', 'NotImplemented'],
    ['POST', '/', 'MethodNotAllowed'],
    ['PATCH', '/b/k', 'MethodNotAllowed'],
    ['GET', '/b/k?versionId=1', 'InvalidArgument'],
  ])('%s %s is refused with %s', (method, target, code) => {
    expect(() => find(method, target)).toThrow(expect.objectContaining({ code }))
  })
})
