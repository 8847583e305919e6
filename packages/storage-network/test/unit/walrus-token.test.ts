import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { keyOf, mintToken } from '../../src/walrus/token.ts'

const settings = { jwtSeconds: 60, epochs: 26, sendObjectTo: `0x${'ab'.repeat(32)}` }

describe('a token for a publisher', () => {
  it.each(['a secret in words', '0x00ff11'])(
    'can be verified with %s, which is read like Walrus reads secrets',
    async (secret) => {
      const { payload, protectedHeader } = await jwtVerify(mintToken(secret, settings, { exact: 7 }), keyOf(secret))
      expect(protectedHeader.alg).toBe('HS256')
      const { iat = 0, exp = 0, jti, ...claims } = payload
      expect(exp - iat).toBe(60)
      expect(jti).toMatch(/^[0-9a-f-]{36}$/)
      expect(claims).toEqual({ epochs: 26, size: 7, send_object_to: settings.sendObjectTo })
      expect(keyOf('0x00ff11')).toEqual(Buffer.of(0, 255, 17))
    },
  )

  it('is valid for one attempt, and for no larger body than the maximum', async () => {
    const [one, other] = [0, 0].map(() => mintToken('secret', settings, { max: 100 }))
    expect(one).not.toBe(other)
    const { payload } = await jwtVerify(one ?? '', keyOf('secret'))
    expect(payload).toMatchObject({ max_size: 100 })
    expect(payload).not.toHaveProperty('size')
  })
})
