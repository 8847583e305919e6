import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { pipeExactly } from '../../src/downloads/pipe-exactly.ts'

const PIECE = Buffer.alloc(64 * 1024, 'x')
const pieces = (count: number) => Readable.from(Array<Buffer>(count).fill(PIECE))

/** What a client gets that was promised eight pieces, and what is thrown here. */
async function send(body: Readable) {
  const { promise: piped, resolve } = Promise.withResolvers<unknown>()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 8 * PIECE.length })
    pipeExactly(body, 8 * PIECE.length, response).then(() => resolve(null), resolve)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const [answer] = await once(get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }), 'response')
  return {
    piped,
    answer: answer as Readable,
    got: () => buffer(answer as Readable).then(({ length }) => length / PIECE.length),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

describe('a body that is sent', () => {
  it('arrives whole when it has its length', async () => {
    await using sent = await send(pieces(8))
    expect(await sent.got()).toBe(8)
    expect(await sent.piped).toBeNull()
  })

  it.each([
    ['too short', () => pieces(7), 'The last 65536 bytes are missing'],
    ['too long', () => Readable.from([PIECE, Buffer.concat(Array(8).fill(PIECE))]), 'There are more bytes than'],
    [
      'failing',
      () =>
        Readable.from(
          (async function* () {
            yield PIECE
            throw new Error('The disk broke')
          })(),
        ),
      'The disk broke',
    ],
  ])('never looks whole when it is %s, and that is told', async (_how, body, message) => {
    await using sent = await send(body())
    await expect(sent.got()).rejects.toThrow('aborted')
    expect(await sent.piped).toMatchObject({ message: expect.stringContaining(message) })
  })

  it('ends with a reader that leaves, which is nobody’s failure', async () => {
    const body = new Readable({ read() {} })
    body.push(PIECE)
    await using sent = await send(body)
    sent.answer.destroy()
    expect(await sent.piped).toBeNull()
    expect(body.destroyed).toBe(true)
  })

  it('is not read for a reader that left before, and may fail then with nobody listening', async () => {
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
})
