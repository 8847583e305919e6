import { randomBytes, scryptSync } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { scrypt } from '../../src/age/passphrase.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const withoutPlatform = () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
afterEach(() => void vi.restoreAllMocks())

it.for(['of the platform', 'of the library'])(
  'scrypt %s returns the known answer of RFC 7914, like Node',
  async (which) => {
    if (which === 'of the library') withoutPlatform()
    // The first half of the third vector, the only one with this r and p.
    const known = '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2'
    const key = await scrypt(bytes('pleaseletmein'), bytes('SodiumChloride'), 16384)
    expect(Buffer.from(key).toString('hex')).toBe(known)
    for (const n of [2, 1024, 4096]) {
      const salt = new Uint8Array(randomBytes(44))
      const expected = scryptSync('Häfen', salt, 32, { N: n, r: 8, p: 1 })
      expect(Buffer.from(await scrypt(bytes('Häfen'), salt, n))).toEqual(expected)
    }
  },
)

it('has enough memory for the default work factor', async () => {
  expect(await scrypt(bytes('a'), bytes('b'), 2 ** 18)).toHaveLength(32)
})

it('runs on the platform, outside this thread', async () => {
  const cost = async () => {
    const before = process.threadCpuUsage()
    await scrypt(bytes('a'), bytes('b'), 2 ** 14)
    return process.threadCpuUsage(before).user
  }
  const platform = await cost()
  withoutPlatform()
  expect(platform).toBeLessThan((await cost()) / 2)
})
