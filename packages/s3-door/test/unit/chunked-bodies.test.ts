import { hash } from 'node:crypto'
import { withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { type DecodeOptions, decodeBody } from '../../src/body/decode-body.ts'
import { announced, createChunkSigner } from '../chunks.ts'
import { pieces, readAll } from '../reading.ts'

const CRC = 'x-amz-checksum-crc32'
const CRC_LINE = `${CRC}:NhCmhg==\n`
const ONE = 'a'.repeat(8192)
const TWO = 'b'.repeat(9000)
const SIZE = ONE.length + TWO.length + 3

/** The chunks and the trailer of a complete body. */
function signedParts() {
  const signer = createChunkSigner()
  return [
    signer.chunk(ONE),
    signer.chunk(TWO),
    signer.chunk('end'),
    signer.chunk(''),
    signer.trailer(CRC_LINE),
  ] as const
}
const unsigned = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`

async function decode(body: string, options: DecodeOptions, size = body.length) {
  const decoded = decodeBody(pieces(body, size), options)
  const bytes = await readAll(decoded.bytes)
  return { bytes, trailers: Object.fromEntries(decoded.trailers()) }
}

/** Each way to cut the body into pieces must have the same outcome, before the reader has as many bytes as announced. */
async function expectRefused(body: string, options: DecodeOptions, code: string): Promise<void> {
  for (const size of [1, 13, body.length || 1]) {
    const { bytes, sizeBytes = 0 } = decodeBody(pieces(body, size), options)
    let taken = 0
    const read = async () => {
      for await (const chunk of bytes) taken += chunk.length
    }
    await expect(read()).rejects.toMatchObject({ code })
    expect(taken).toBeLessThan(Math.max(1, sizeBytes))
  }
}

describe('a body of signed chunks', () => {
  const [one, two, three, last, trailer] = signedParts()
  const options = announced('signed-trailer', SIZE, CRC)

  it('is decoded with its trailer', async () => {
    const decoded = { bytes: `${ONE}${TWO}end`, trailers: { [CRC]: 'NhCmhg==' } }
    for (const size of [1, 100, 65_536]) {
      expect(await decode(one + two + three + last + trailer, options, size)).toEqual(decoded)
    }
    const empty = createChunkSigner()
    expect(await decode(`${empty.chunk('')}\r\n`, announced('signed', 0))).toEqual({ bytes: '', trailers: {} })
  })

  it.each([
    ['swapped chunks', two + one + three + last + trailer, 'SignatureDoesNotMatch'],
    ['a repeated chunk', one + one + two + three + last + trailer, 'SignatureDoesNotMatch'],
    ['a missing chunk', one + three + last + trailer, 'SignatureDoesNotMatch'],
    ['a changed byte', one.replace('aa', 'ab') + two + three + last + trailer, 'SignatureDoesNotMatch'],
    ['an unsigned chunk', unsigned(ONE) + two + three + last + trailer, 'IncompleteBody'],
    ['no last chunk', one + two + three, 'IncompleteBody'],
    ['a cut chunk', one.slice(0, 5000), 'IncompleteBody'],
    ['a last chunk after the first', one + last + trailer, 'IncompleteBody'],
    ['a changed trailer', one + two + three + last + trailer.replace('NhC', 'MhC'), 'SignatureDoesNotMatch'],
    ['an undeclared trailer', one + two + three + last + trailer.replace('crc32', 'sha1'), 'MalformedTrailerError'],
    ['no trailer', `${one + two + three + last}\r\n`, 'MalformedTrailerError'],
    ['an unsigned trailer', `${one + two + three + last}${CRC}:NhCmhg==\r\n\r\n`, 'IncompleteBody'],
    ['bytes after its end', `${one + two + three + last + trailer}x`, 'IncompleteBody'],
    ['a second body after its end', (one + two + three + last + trailer).repeat(2), 'IncompleteBody'],
    ['a header of another form', one.replace(';', ';x=y;') + two + three + last + trailer, 'IncompleteBody'],
    ['a line feed instead of CRLF', one.replace('\r\n', '\n') + two + three + last + trailer, 'IncompleteBody'],
    ['a chunk header of a megabyte', '0'.repeat(1_048_576), 'IncompleteBody'],
    ['a trailer of a megabyte', one + two + three + last + 'x'.repeat(1_048_576), 'IncompleteBody'],
    ['nothing', '', 'IncompleteBody'],
  ])('with %s is refused', (_, body, code) => expectRefused(body, options, code))

  it('is valid only for its request, its key, and its length', async () => {
    const body = one + two + three + last + trailer
    const { signature } = options
    if (signature === null) throw new Error('The body needs a signature.')
    const changed = (changes: Partial<typeof signature>) => ({ ...options, signature: { ...signature, ...changes } })
    const { seed } = signature
    for (const wrong of [
      changed({ signingKey: Buffer.alloc(32) }),
      changed({ seed: { ...seed, signature: '1'.repeat(64) } }),
      changed({ seed: { ...seed, time: '20130524T000001Z' } }),
      changed({ seed: { ...seed, scope: '20130525/us-east-1/s3/aws4_request' } }),
    ]) {
      await expectRefused(body, wrong, 'SignatureDoesNotMatch')
    }
    for (const size of [0, 5, SIZE - 1, SIZE + 1]) {
      await expectRefused(body, announced('signed-trailer', size, CRC), 'IncompleteBody')
    }
  })

  it('whose random byte was changed, added, or removed is never decoded', async () => {
    await withSeed(async (random) => {
      const body = one + two + three + last + trailer
      for (let count = 0; count < 300; count += 1) {
        const at = Math.floor(random() * body.length)
        const other = String.fromCharCode((body.charCodeAt(at) + 1 + Math.floor(random() * 255)) % 256)
        for (const wrong of [
          body.slice(0, at) + other + body.slice(at + 1),
          body.slice(0, at) + other + body.slice(at),
          body.slice(0, at) + body.slice(at + 1),
        ]) {
          // The body may also end without its last empty line, as in Amazon's documentation.
          if (wrong === body || wrong === body.slice(0, -2)) continue
          const { bytes } = decodeBody(pieces(wrong, 4096), options)
          let taken = 0
          const read = async () => {
            for await (const chunk of bytes) taken += chunk.length
          }
          await expect(read(), `byte ${at}`).rejects.toHaveProperty('code')
          expect(taken).toBeLessThan(SIZE)
        }
      }
    })
  })
})

describe('a body of unsigned chunks', () => {
  const options = announced('unsigned-trailer', SIZE, CRC)
  const chunks = `${unsigned(ONE)}${unsigned(TWO)}${unsigned('end')}0\r\n`

  it('is decoded with or without a trailer', async () => {
    const bytes = `${ONE}${TWO}end`
    for (const size of [1, 100, 65_536]) {
      const trailers = { [CRC]: 'NhCmhg==' }
      expect(await decode(`${chunks}${CRC}:NhCmhg==\r\n\r\n`, options, size)).toEqual({ bytes, trailers })
      expect(await decode(`${chunks}X-Amz-Checksum-CRC32: NhCmhg== \n\r\n\r\n`, options, size)).toEqual({
        bytes,
        trailers,
      })
      const without = announced('unsigned-trailer', SIZE)
      expect(await decode(`${chunks}\r\n`, without, size)).toEqual({ bytes, trailers: {} })
    }
  })

  it.each([
    ['no trailer that was declared', `${chunks}\r\n`, 'MalformedTrailerError'],
    ['a trailer without a name', `${chunks}:NhCmhg==\r\n\r\n`, 'MalformedTrailerError'],
    ['a trailer twice', `${chunks}${`${CRC}:NhCmhg==\r\n`.repeat(2)}\r\n`, 'MalformedTrailerError'],
    ['many trailers', `${chunks}${'x:y\r\n'.repeat(999)}\r\n`, 'MalformedTrailerError'],
    ['no end', `${chunks}${CRC}:NhCmhg==\r\n`, 'IncompleteBody'],
    ['a small chunk before the last', `${unsigned('a')}${unsigned(ONE)}0\r\n\r\n`, 'InvalidChunkSizeError'],
    ['a negative chunk', '-1\r\n', 'IncompleteBody'],
    ['an immense chunk', 'ffffffffffffffff\r\n', 'IncompleteBody'],
    ['a chunk size of other characters', '0x10\r\n', 'IncompleteBody'],
    ['a chunk that is longer than it states', `5\r\nhello!\r\n0\r\n\r\n`, 'IncompleteBody'],
  ])('with %s is refused', (_, body, code) => expectRefused(body, options, code))

  it.each([undefined, '', 'abc', '12x', '-1', '+5', '1e3', '5.0', '99999999999999999'])(
    'needs a length, which %j is not',
    (size) => {
      expect(() => decodeBody(pieces('', 1), announced('unsigned-trailer', size))).toThrow(
        expect.objectContaining({ code: 'MissingContentLength', status: 411 }),
      )
    },
  )

  it('may declare only checksums as trailers', () => {
    const open = () => decodeBody(pieces('', 1), announced('unsigned-trailer', 0, 'x-amz-meta-a'))
    expect(open).toThrow(expect.objectContaining({ code: 'InvalidRequest' }))
  })
})

describe('other bodies', () => {
  const promise = (hex: string) => ({ payload: { kind: 'sha256', hex } as const, signingKey: Buffer.alloc(32) })
  const seed = { time: '', scope: '', signature: '' }

  it('pass through unless their SHA-256 is not as promised', async () => {
    const headers = { 'content-length': '5' }
    const right = { signature: { ...promise(hash('sha256', 'hello')), seed }, headers }
    expect(await decode('hello', right)).toEqual({ bytes: 'hello', trailers: {} })
    const wrong = { signature: { ...promise('0'.repeat(64)), seed }, headers }
    await expectRefused('hello', wrong, 'XAmzContentSHA256Mismatch')
    const elsewhere = decodeBody(pieces('hello', 2), { ...wrong, isSha256VerifiedElsewhere: true })
    expect(elsewhere).toMatchObject({ sizeBytes: 5, contentSha256: '0'.repeat(64) })
    expect(await readAll(elsewhere.bytes)).toBe('hello')
  })

  it('of anonymous requests may be unsigned chunks, not signed ones', async () => {
    const headers = (value: string) => ({
      signature: null,
      headers: { 'x-amz-content-sha256': value, 'x-amz-decoded-content-length': '5' },
    })
    const chunks = headers('STREAMING-UNSIGNED-PAYLOAD-TRAILER')
    expect(await decode('5\r\nhello\r\n0\r\n\r\n', chunks)).toEqual({ bytes: 'hello', trailers: {} })
    expect(await decode('hello', { signature: null, headers: {} })).toEqual({ bytes: 'hello', trailers: {} })
    const code = (value: string, expected: string) =>
      expect(() => decodeBody(pieces('', 1), headers(value))).toThrow(expect.objectContaining({ code: expected }))
    code('STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'InvalidRequest')
    code('STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', 'NotImplemented')
    code('constructor', 'InvalidArgument')
  })
})
