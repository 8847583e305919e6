import { createPasskeyDevice } from '@tideport/testing/passkey-device'
import { expect } from 'vitest'
import { createFirstToken } from '../src/owner/set-up-token.ts'
import type { Account, startAuth } from './bundle.ts'

export const origin = 'https://files.example'
export const anyone = { kind: 'public' } as const
export const refused = (reason: string) => ({ status: 403, body: { code: 'passkey_refused', details: { reason } } })

/** The calls of a set-up and of the owner's sign-in. */
export function ownerCalls(auth: Awaited<ReturnType<typeof startAuth>>) {
  const post = (path: string, body: object = {}) => auth.call(anyone, 'POST', path, body)
  const begin = (token: string) => post('/api/set-up/options', { token })
  const complete = (token: string, passkey?: object) => post('/api/set-up', { token, passkey })
  const firstToken = async () => (await createFirstToken(auth.db)) as string

  /** An installation whose owner has a passkey, or else only a recovery code. */
  async function setUp({ hasPasskey = true } = {}) {
    const token = await firstToken()
    const device = createPasskeyDevice(origin)
    const options = (await begin(token)).body.passkey
    const { status, body } = await complete(
      token,
      hasPasskey ? { name: 'Phone', credential: device.create(options) } : undefined,
    )
    expect(status).toBe(201)
    return { token, device, owner: await auth.userOf(body.session), ...body } as {
      token: string
      device: ReturnType<typeof createPasskeyDevice>
      owner: Account
      session: { id: string; key: string; keyPrefix: string; expiresAt: string }
      recoveryCode: string
    }
  }

  const signInOptions = async () => (await post('/api/sign-in/passkey/options')).body
  const signIn = (credential: object) => post('/api/sign-in/passkey', { credential })
  const recover = (recoveryCode: string) => post('/api/sign-in/recovery-code', { recoveryCode })
  return { begin, complete, firstToken, setUp, signInOptions, signIn, recover }
}
