import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { PasskeyRefusal } from '@tideport/contracts/endpoint/errors'
import type { createdPasskey, passkeySignature } from '@tideport/contracts/public/passkeys'
import type { RelyingParty } from '@tideport/service-kit/http/relying-party'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { z } from 'zod'

/** EdDSA, ES256, and RS256 (COSE), in order of preference. */
export const algorithms = [-8, -7, -257] as const

const sentences: Record<PasskeyRefusal, string> = {
  unknown: 'The passkey does not belong to this installation. Use another passkey or the recovery code.',
  origin: 'The passkey was used on another address. Open the console at the PUBLIC_URL of the installation.',
  challenge: 'The challenge has expired, was used, or is of another request. Try again.',
  verification: 'The device did not verify its user. Set up a PIN, fingerprint, or face, and try again.',
  counter:
    'The passkey may have been copied to another device. Sign in with the recovery code, and delete the passkey.',
  invalid: 'The passkey’s response is invalid. Try again.',
}

export function passkeyRefused(reason: PasskeyRefusal, cause?: unknown): AppError {
  return new AppError('passkey_refused', sentences[reason], { details: { reason }, cause })
}

interface Expected {
  relyingParty: RelyingParty
  /** Uses up the challenge. False if it is not valid. */
  useChallenge: (challenge: string) => Promise<boolean>
}

/** Needs 30 MB of memory, and half a second that no transaction should last. */
export const loadWebAuthn = () => import('@simplewebauthn/server')

export interface VerifiedPasskey {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
}

/** Throws `passkey_refused`. */
export async function verifyCreated(
  credential: z.output<typeof createdPasskey>,
  expected: Expected,
): Promise<VerifiedPasskey> {
  const { verifyRegistrationResponse } = await loadWebAuthn()
  return await refusing(expected, async (ours) => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} } as RegistrationResponseJSON,
      supportedAlgorithmIDs: [...algorithms],
      ...ours,
    })
    if (registrationInfo === undefined) throw passkeyRefused('invalid')
    const { id, publicKey, counter } = registrationInfo.credential
    return { credentialId: Buffer.from(id, 'base64url'), publicKey: Buffer.from(publicKey), counter }
  })
}

/** Returns the new counter. Throws `passkey_refused`. */
export async function verifySignature(
  credential: z.output<typeof passkeySignature>,
  { publicKey, counter }: Pick<VerifiedPasskey, 'publicKey' | 'counter'>,
  expected: Expected,
): Promise<number> {
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  return await refusing(expected, async (ours) => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...credential, clientExtensionResults: {} },
      credential: { id: credential.id, publicKey: new Uint8Array(publicKey), counter },
      ...ours,
    })
    if (!verified) throw passkeyRefused('invalid')
    return authenticationInfo.newCounter
  })
}

/** The library's errors have no codes. */
const reasons: [RegExp, PasskeyRefusal][] = [
  [/response origin|RP ID/i, 'origin'],
  [/user (?:could not be verified|verification)|user not present/i, 'verification'],
  [/counter/i, 'counter'],
  [/response type/i, 'challenge'],
]

async function refusing<T>({ relyingParty, useChallenge }: Expected, verify: (ours: Ours) => Promise<T>): Promise<T> {
  const ours = {
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    expectedChallenge: async (challenge: string) => {
      if (await useChallenge(challenge)) return true
      throw passkeyRefused('challenge')
    },
  }
  try {
    return await verify(ours)
  } catch (error) {
    // Errors of the database have a code.
    if (error instanceof AppError || (error instanceof Error && 'code' in error)) throw error
    const message = error instanceof Error ? error.message : ''
    throw passkeyRefused(reasons.find(([pattern]) => pattern.test(message))?.[1] ?? 'invalid', error)
  }
}

interface Ours {
  expectedOrigin: string
  expectedRPID: string
  requireUserVerification: boolean
  expectedChallenge: (challenge: string) => Promise<boolean>
}
