import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../src/crypto/decryption-errors.ts'
import { HEADER_BYTES, startDecryption } from '../../src/crypto/floe.ts'
import { floeVectors } from './floe-vectors.ts'

/**
 * Known answers of the specification. The short ones are in this repository. `FLOE_VECTORS` names a copy of the folder
 * `kats` of Snowflake-Labs/floe-specification, which also has 40 MB of long ones.
 */
const vectors = process.env.FLOE_VECTORS ?? ''

/** All answers use a key of zeros and this context. */
const key = new Uint8Array(32)
const aad = new TextEncoder().encode('This is AAD')
const segmentSizes: Record<string, number> = {
  GCM256_IV256_64: 64,
  GCM256_IV256_4K: 4096,
  GCM256_IV256_1M: 1024 ** 2,
  lastSegAligned: 40,
  lastSegEmpty: 40,
}

const read = (name: string) => readFileSync(join(vectors, name), 'utf8').trim()

/** Answers in the copy, except those of a key rotation that only the specification's own tests use. */
const names = (existsSync(vectors) ? readdirSync(vectors) : [])
  .flatMap((file) => /^(.+)_ct\.txt$/.exec(file)?.[1] ?? [])
  .filter((name) => !name.endsWith('_rotation') && existsSync(join(vectors, `${name}_pt.txt`)))
const answers = new Set([...Object.keys(floeVectors), ...names])

/** Decodes hexadecimal. */
function answer(name: string) {
  const { plaintext, ciphertext } = floeVectors[name] ?? {
    plaintext: read(`${name}_pt.txt`),
    ciphertext: read(`${name}_ct.txt`),
  }
  return { plaintext: Buffer.from(plaintext, 'hex'), ciphertext: new Uint8Array(Buffer.from(ciphertext, 'hex')) }
}

async function decrypt(name: string, meddle: (ciphertext: Uint8Array) => Uint8Array = (same) => same) {
  const [, parameters = ''] = /^(?:pub_)?[a-z]+_(.+)$/.exec(name) ?? []
  const size = segmentSizes[parameters]
  if (size === undefined) throw new Error(`${name}: a size of segments that this test does not know`)
  const ciphertext = meddle(answer(name).ciphertext)
  const floe = await startDecryption(key, aad, size, ciphertext.slice(0, HEADER_BYTES))
  const body = ciphertext.subarray(HEADER_BYTES)
  const plaintext: Uint8Array[] = []
  // A full last segment, and an empty one after full segments, are last by their length.
  for (let position = 0; position * size < body.length; position++) {
    const segment = body.subarray(position * size, (position + 1) * size)
    const isLast = (position + 1) * size >= body.length
    plaintext.push(await floe.decrypt(segment, position, isLast))
  }
  return Buffer.concat(plaintext)
}

describe('the published known answers of FLOE', () => {
  it('come from four implementations', () => {
    const implementations = new Set([...answers].map((name) => name.replace(/^pub_/, '').split('_')[0]))
    expect(implementations).toEqual(new Set(['java', 'go', 'cpp', 'rust']))
  })

  it.each([...answers])('%s decrypts', async (name) => {
    expect((await decrypt(name)).equals(answer(name).plaintext)).toBe(true)
  })

  it.each([...answers])('%s is rejected if its last byte is missing or changed', async (name) => {
    const flipped = (bytes: Uint8Array) => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))
    await expect(decrypt(name, (bytes) => bytes.slice(0, -1))).rejects.toThrow(DecryptionError)
    await expect(decrypt(name, flipped)).rejects.toThrow(DecryptionError)
  })
})
