import { once } from 'node:events'
import { connect } from 'node:net'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { startDoor } from '../bundle.ts'

const door = setUpOnce(() => startDoor({ S3_API_HOSTS: 's3.test' }))

/** Sends text on one connection, and reads until the gateway closes it. */
async function exchange(...requests: string[]): Promise<string> {
  const socket = connect(door.gateway.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  socket.write(requests.join(''))
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

const of = (host: string, line = 'GET /', more = '') => `${line} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`
const last = (host: string, line?: string) => of(host, line, 'Connection: close\r\n')
const bodies = (text: string) =>
  Array.from(text.matchAll(/<Code>\w+<\/Code>|"code":"\w+"/g), ([found]) => found.replaceAll(/<\/?Code>|"/g, ''))

it.each(['s3.test', 'S3.TEST:8080', 'bucket.s3.test'])('%s has the S3 API', async (host) => {
  const text = await exchange(last(host))
  expect(text).toMatch(/^HTTP\/1.1 403 .*\r\ncontent-type: application\/xml\r\n/is)
  expect(bodies(text)).toEqual(['AccessDenied'])
})

it.each(['localhost', 'other-s3.test', 's3.test.localhost'])('%s has the API of the gateway', async (host) => {
  expect(bodies(await exchange(last(host, 'GET /api/none')))[0]).toMatch(/^code:/)
})

it('reads each request of a connection for its own host, in order', async () => {
  const [s3, own] = [of('s3.test'), of('localhost', 'GET /api/none')]
  const text = await exchange(s3, own, own, s3, last('localhost', 'GET /api/none'))
  const [xml, json] = ['AccessDenied', 'code:not_found']
  expect(bodies(text)).toEqual([xml, json, json, xml, json])
})

it('never reads the body of one request as another request', async () => {
  const inside = of('localhost', 'GET /api/none')
  const put = `PUT /bucket/key HTTP/1.1\r\nHost: s3.test\r\nContent-Length: ${inside.length}\r\n\r\n`
  expect(bodies(await exchange(put, inside))).toEqual(['AccessDenied'])
  const chunked = `PUT /bucket/key HTTP/1.1\r\nHost: s3.test\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`
  expect(bodies(await exchange(chunked, inside))).toHaveLength(1)
  expect(door.files.seen).toEqual([])
})

it.each([
  ['two hosts', of('s3.test', 'GET /', 'Host: localhost\r\nConnection: close\r\n'), 'InvalidArgument'],
  ['two hosts', of('localhost', 'GET /api/none', 'Host: s3.test\r\nConnection: close\r\n'), 'code:validation_failed'],
  ['a target of another host', last('s3.test', 'GET http://localhost/api/none'), 'InvalidURI'],
  ['a target of the S3 API', last('localhost', 'GET http://s3.test/'), 'code:misdirected_request'],
])('refuses %s', async (_, text, code) => {
  expect(bodies(await exchange(text))).toEqual([code])
})
