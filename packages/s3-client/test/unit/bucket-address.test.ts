import { expect, it } from 'vitest'
import { bucketAddress } from '../../src/signature.ts'

const where = { region: 'eu-central-1', bucket: 'photos' }

it.each([
  [{ forcePathStyle: true, endpoint: 'http://127.0.0.1:7070' }, 'http://127.0.0.1:7070', '/photos/a/b%20c', '/photos'],
  [
    { forcePathStyle: true, endpoint: 'https://store.test/s3/' },
    'https://store.test',
    '/s3/photos/a/b%20c',
    '/s3/photos',
  ],
  [{ forcePathStyle: false, endpoint: 'https://store.test:9000' }, 'https://photos.store.test:9000', '/a/b%20c', '/'],
  [{ forcePathStyle: false, endpoint: 'http://127.0.0.1:7070' }, 'http://127.0.0.1:7070', '/photos/a/b%20c', '/photos'],
  [{ forcePathStyle: false, endpoint: 'http://[::1]:7070' }, 'http://[::1]:7070', '/photos/a/b%20c', '/photos'],
  [
    { forcePathStyle: false, bucket: 'my.photos' },
    'https://s3.eu-central-1.amazonaws.com',
    '/my.photos/a/b%20c',
    '/my.photos',
  ],
  [{ forcePathStyle: false }, 'https://photos.s3.eu-central-1.amazonaws.com', '/a/b%20c', '/'],
  [{ forcePathStyle: false, region: 'cn-north-1' }, 'https://photos.s3.cn-north-1.amazonaws.com.cn', '/a/b%20c', '/'],
])('builds the address of a bucket from its endpoint and style: %j', (options, origin, object, bucket) => {
  const address = bucketAddress({ ...where, ...options })
  expect([address.origin, address.pathOf('a/b c'), address.pathOf()]).toEqual([origin, object, bucket])
  expect(origin).toContain(`//${address.host}`)
})
