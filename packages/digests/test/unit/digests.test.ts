import { describe, expect, it } from 'vitest'
import { combineCrcs } from '../../src/combine-crcs.ts'
import { digestNames, isDigestValue } from '../../src/digest-names.ts'
import { createDigester, digestsOf } from '../../src/digester.ts'

/** Check values of `123456789`: the catalogue of parametrised CRC algorithms, RFC 1321, FIPS 180-4, and xxhsum 0.8. */
const checkValues = {
  md5: '25f9e794323b453885f5181f1b624d0b',
  sha1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  sha256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
  sha512:
    'd9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85',
  crc32: 'cbf43926',
  crc32c: 'e3069283',
  crc64nvme: 'ae8b14860a799888',
}

const hex = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString('hex')
const bytesOf = (length: number) => Buffer.alloc(length).map((_, index) => (index * 31 + (index >> 8)) & 255)

describe('digests', () => {
  it('have the published check values', async () => {
    const digests = await digestsOf(digestNames, Buffer.from('123456789'))
    const known = Object.keys(checkValues) as (keyof typeof checkValues)[]
    expect(Object.fromEntries(known.map((name) => [name, hex(digests[name])]))).toEqual(checkValues)
    for (const name of digestNames) expect(isDigestValue(name, digests[name] ?? '')).toBe(true)
  })

  it('of nothing are those of the empty input', async () => {
    const digests = await digestsOf(digestNames, new Uint8Array())
    expect(hex(digests.xxhash64)).toBe('ef46db3751d8e999')
    expect(hex(digests.xxhash3)).toBe('2d06800538d394c2')
    expect(hex(digests.xxhash128)).toBe('99aa06d3014798d86001c324468d497f')
    expect([hex(digests.crc32), hex(digests.crc32c), hex(digests.crc64nvme)]).toEqual([
      '00000000',
      '00000000',
      '0'.repeat(16),
    ])
  })

  it('are the same in a thread, in chunks of any size, many at once', async () => {
    const bytes = bytesOf(3_000_001)
    const expected = await inline(bytes)
    const sizes = [1_000, 65_536, 262_144, 700_000, 3_000_001]
    const all = sizes.map(async (size) => {
      const digester = await createDigester(digestNames, bytes.length)
      for (let start = 0; start < bytes.length; start += size) {
        const chunk = Buffer.from(bytes.subarray(start, start + size))
        await digester.update(chunk)
        chunk.fill(0) // the caller may reuse it
      }
      return digester.digest()
    })
    const abandoned = await createDigester(digestNames, bytes.length)
    await abandoned.update(bytes)
    abandoned.abandon()
    for (const digests of await Promise.all(all)) expect(digests).toEqual(expected)
  })

  it.each(['crc32', 'crc32c', 'crc64nvme'] as const)('of parts combine to the %s of the file', async (name) => {
    const bytes = bytesOf(100_003)
    const sizes = [0, 1, 40_000, 40_000, 0, 20_000, 2]
    let start = 0
    const parts = await Promise.all(
      sizes.map(async (sizeBytes) => {
        start += sizeBytes
        const digests = await digestsOf([name], bytes.subarray(start - sizeBytes, start))
        return { digest: digests[name] ?? '', sizeBytes }
      }),
    )
    expect(combineCrcs(name, parts)).toBe((await digestsOf([name], bytes))[name])
  })

  it('are canonical base64 of their size', () => {
    expect(isDigestValue('crc32', 'AAAAAA==')).toBe(true)
    for (const value of ['AAAAAA', 'AAAAAB==', 'AAAAAAA=', '', 'AAAA AA=='])
      expect(isDigestValue('crc32', value)).toBe(false)
  })
})

async function inline(bytes: Uint8Array) {
  const digester = await createDigester(digestNames, 0)
  await digester.update(bytes)
  return digester.digest()
}
