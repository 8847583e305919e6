import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { pipeExactly } from '../../src/downloads/send-file.ts'

const PIECE = Buffer.alloc(64 * 1024, 'x')

it('a body is not read for a disconnected client, and may fail without a listener', async () => {
  const { promise: piped, resolve } = Promise.withResolvers<unknown>()
  let readBytes = 0
  const body = new Readable({
    read() {
      readBytes += PIECE.length
      this.push(readBytes > 64 * PIECE.length ? null : PIECE)
    },
  })
  const server = createServer((_request, response) => {
    response.once('close', () => pipeExactly(body, 65 * PIECE.length, response).then(() => resolve(null), resolve))
    response.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => undefined)
  expect(await piped).toBeNull()
  expect(body.destroyed).toBe(true)
  await new Promise((closed) => server.close(closed))
  expect(readBytes).toBe(0)
})
