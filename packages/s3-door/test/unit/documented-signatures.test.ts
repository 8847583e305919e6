import { describe, expect, it } from 'vitest'
import { decodeBody } from '../../src/body/decode-body.ts'
import {
  DOCUMENTED_CHUNKS,
  DOCUMENTED_REQUESTS,
  DOCUMENTED_TIME,
  DOCUMENTED_TRAILER,
} from '../fixtures/documented-requests.ts'
import { pieces, readAll } from '../reading.ts'
import { signingKey, verified } from '../signing.ts'

describe("the examples of Amazon's documentation", () => {
  it.each(Object.entries(DOCUMENTED_REQUESTS))('have the signature of a %s', (_, request) => {
    expect(verified(request, DOCUMENTED_TIME)).toMatchObject({ accessKeyId: 'AKIAIOSFODNN7EXAMPLE', date: '20130524' })
  })

  it.each([
    { ...DOCUMENTED_CHUNKS, trailers: {} },
    { ...DOCUMENTED_TRAILER, trailers: { 'x-amz-checksum-crc32c': 'sOO8/Q==' } },
  ])('have the signatures of chunks and trailers, in pieces of any size', async ({ request, body, trailers }) => {
    const { payload, seed } = verified(request, DOCUMENTED_TIME)
    for (const size of [1, 7, 85, 65_536, body.length]) {
      const signature = { payload, seed, signingKey: signingKey('20130524') }
      const decoded = decodeBody(pieces(body, size), { signature, headers: request.headers })
      expect(await readAll(decoded.bytes)).toBe('a'.repeat(66_560))
      expect(Object.fromEntries(decoded.trailers())).toEqual(trailers)
    }
  })
})
