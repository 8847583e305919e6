import { randomBytes, scryptSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { ourScrypt, scrypt } from '../../src/age/scrypt.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

it.for([ourScrypt, scrypt])('%o is scrypt: by a known answer of RFC 7914, and by Node', async (derive) => {
  // The first half of its third answer, which alone has this r and p.
  const known = '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2'
  const key = await derive(bytes('pleaseletmein'), bytes('SodiumChloride'), 16384)
  expect(Buffer.from(key).toString('hex')).toBe(known)
  for (const n of [2, 1024, 4096]) {
    const salt = new Uint8Array(randomBytes(44))
    const expected = scryptSync('Häfen', salt, 32, { N: n, r: 8, p: 1 })
    expect(Buffer.from(await derive(bytes('Häfen'), salt, n))).toEqual(expected)
  }
})

it('has the memory for what is sealed unless it is said otherwise', async () => {
  expect(await scrypt(bytes('a'), bytes('b'), 2 ** 18)).toHaveLength(32)
})

it('is left to the platform, which does it beside this thread', async () => {
  const costOf = async (derive: typeof scrypt) => {
    const before = process.threadCpuUsage()
    await derive(bytes('a'), bytes('b'), 2 ** 14)
    return process.threadCpuUsage(before).user
  }
  const [own, platform] = [await costOf(ourScrypt), await costOf(scrypt)]
  expect(platform).toBeLessThan(own / 2)
})
