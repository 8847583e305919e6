import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../src/crypto/decryption-errors.ts'
import { HEADER_BYTES, startDecryption } from '../../src/crypto/floe.ts'

/**
 * The known answers that the specification publishes: the folder `kats` of Snowflake-Labs/floe-specification, at commit
 * e466ef42 when this was written. They are not ours to keep here; `FLOE_VECTORS` names a copy.
 */
const vectors = process.env.FLOE_VECTORS ?? ''

/** All are under the key of zeros and this context. */
const key = new Uint8Array(32)
const aad = new TextEncoder().encode('This is AAD')
const segmentSizes: Record<string, number> = {
  GCM256_IV256_64: 64,
  GCM256_IV256_4K: 4096,
  GCM256_IV256_1M: 1024 ** 2,
  lastSegAligned: 40,
  lastSegEmpty: 40,
}

const read = (name: string) => new Uint8Array(Buffer.from(readFileSync(join(vectors, name), 'utf8').trim(), 'hex'))

/** Their names, without those of a rotation of keys that only the specification's own tests use. */
const answers = (existsSync(vectors) ? readdirSync(vectors) : [])
  .flatMap((file) => /^(.+)_ct\.txt$/.exec(file)?.[1] ?? [])
  .filter((name) => !name.endsWith('_rotation') && existsSync(join(vectors, `${name}_pt.txt`)))

async function decrypt(name: string, meddle: (ciphertext: Uint8Array) => Uint8Array = (same) => same) {
  const [, parameters = ''] = /^(?:pub_)?[a-z]+_(.+)$/.exec(name) ?? []
  const size = segmentSizes[parameters]
  if (size === undefined) throw new Error(`${name}: a size of segments that this test does not know`)
  const ciphertext = meddle(read(`${name}_ct.txt`))
  const floe = await startDecryption(key, aad, size, ciphertext.slice(0, HEADER_BYTES))
  const body = ciphertext.subarray(HEADER_BYTES)
  const plaintext: Uint8Array[] = []
  // A last segment that is full, and one that is empty behind full ones, say by their length that they are the last.
  for (let position = 0; position * size < body.length; position++) {
    const segment = body.subarray(position * size, (position + 1) * size)
    const isLast = (position + 1) * size >= body.length
    plaintext.push(await floe.decrypt(segment, position, isLast))
  }
  return Buffer.concat(plaintext)
}

describe.skipIf(answers.length === 0)('the published known answers of FLOE (FLOE_VECTORS)', () => {
  it('are of four implementations', () => {
    expect(new Set(answers.map((name) => name.replace(/^pub_/, '').split('_')[0]))).toEqual(
      new Set(['java', 'go', 'cpp', 'rust']),
    )
  })

  it.each(answers)('%s is decrypted', async (name) => {
    expect((await decrypt(name)).equals(read(`${name}_pt.txt`))).toBe(true)
  })

  it.each(answers)('%s is refused once its last byte is gone, or is another', async (name) => {
    const flipped = (bytes: Uint8Array) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))
    await expect(decrypt(name, (bytes) => bytes.slice(0, -1))).rejects.toThrow(DecryptionError)
    await expect(decrypt(name, flipped)).rejects.toThrow(DecryptionError)
  })
})
