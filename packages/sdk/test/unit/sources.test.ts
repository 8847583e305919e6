import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVaultKey, uploadPrivate } from '../../src/crypto.ts'
import { createClient, type Source, upload } from '../../src/tideport.ts'

/** A service that keeps the received bodies. */
const bodies: Buffer[] = []
const server = createServer(async (request, response) => {
  bodies.push(await buffer(request))
  response.end('{}')
})
let baseUrl: string
beforeAll(async () => {
  baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`
})
afterAll(() => closeAtOnce(server))

const uploaded = async (source: unknown) => {
  bodies.length = 0
  await upload(createClient({ baseUrl }), source as Source, { vaultId: 'v', name: 'a' })
  return bodies.map((body) => body.toString('latin1'))
}

const shared = (text: string) => {
  const bytes = new Uint8Array(new SharedArrayBuffer(text.length + 1), 1)
  bytes.set(Buffer.from(text))
  return bytes
}

async function* refilled() {
  const one = new Uint8Array(2)
  for (const text of ['he', 'll', 'o!']) {
    one.set(Buffer.from(text))
    yield one
  }
}

describe('sends the given bytes unchanged', () => {
  const word = Buffer.from('.hello!.').subarray(1, 7)
  const given: Record<string, unknown> = {
    'a slice of a buffer': word,
    'an array of larger numbers': new Uint16Array(Uint8Array.from(word).buffer),
    'a DataView': new DataView(Uint8Array.from(word).buffer),
    'shared memory': shared('hello!'),
    'a source of shared memory': {
      size: 6,
      slice: (start: number, end: number) => shared('hello!').subarray(start, end),
    },
    'a stream of shared memory': ReadableStream.from([shared('hel'), shared('lo!')]),
    'a stream that reuses its buffer': refilled(),
  }
  it.each(Object.keys(given))('%s', async (name) => expect(await uploaded(given[name])).toEqual(['hello!']))
})

it('requests a large upload by its path, for every kind of source', async () => {
  const size = 17 * 1024 ** 2
  const options = { vaultId: 'v', mimeType: 'text/plain', sizeBytes: size, fields: { path: 'a/b.txt' } }
  for (const source of [{ size, slice: () => new Blob([]) }, refilled()]) {
    for (const named of [{}, { name: 'b.txt' }]) {
      bodies.length = 0
      // The response is not an upload.
      await expect(upload(createClient({ baseUrl }), source, { ...options, ...named })).rejects.toThrow()
      const { partSizeBytes, ...request } = JSON.parse(String(bodies[0]))
      expect(request).toEqual({ path: 'a/b.txt', mimeType: 'text/plain', sizeBytes: size, vaultId: 'v' })
    }
  }
  await expect(upload(createClient({ baseUrl }), refilled(), { vaultId: 'v', sizeBytes: size })).rejects.toThrow(
    'has no name',
  )
})

describe('rejects an invalid source before any request', () => {
  it.each([
    ['text', 'hello'],
    ['null', null],
    ['a number', 5],
    ['an object', {}],
    ['a list', [1]],
    ['a Set', new Set()],
  ])('%s', async (_, given) => {
    await expect(uploaded(given)).rejects.toThrow(new TypeError('The source must be a Blob, bytes, a stream, or an object with size and slice(). Wrap text as new Blob([text])')) // biome-ignore format: one claim
    const options = { vaultId: 'v', name: 'a', vaultKey: createVaultKey() }
    await expect(uploadPrivate(createClient({ baseUrl }), given as Source, options)).rejects.toThrow(TypeError)
    expect(bodies).toEqual([])
  })

  it.each([
    [
      (async function* () {
        yield 'text'
      })(),
    ],
    [ReadableStream.from(['text'])],
  ])('rejects a stream of text: %o', async (given) => {
    // biome-ignore format: one row
    await expect(uploaded(given)).rejects.toThrow(new TypeError('An uploaded stream must yield Uint8Arrays'))
    expect(bodies).toEqual([])
  })
})
