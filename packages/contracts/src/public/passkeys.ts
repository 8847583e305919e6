import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant } from './list.ts'
import { plainText } from './text.ts'

export const passkeysMax = 20

/** WebAuthn's JSON forms have binary values in base64url. */
const binary = (maxLength: number) => z.base64url().min(1).max(maxLength)
const credentialType = z.literal('public-key')
const verification = z.literal('required')

export const passkeyCreation = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: credentialType, alg: z.int() })),
    timeout: z.int(),
    excludeCredentials: z.array(z.object({ type: credentialType, id: z.string(), transports: z.array(z.string()) })),
    authenticatorSelection: z.object({ residentKey: z.literal('required'), userVerification: verification }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'PasskeyCreationOptions', description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON`' })

export const passkeyRequest = z
  .object({ challenge: z.string(), rpId: z.string(), timeout: z.int(), userVerification: verification })
  .meta({ id: 'PasskeyRequestOptions', description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`' })

const signed = { id: binary(1400), rawId: binary(1400), type: credentialType }

export const createdPasskey = z
  .object({
    ...signed,
    response: z.object({
      clientDataJSON: binary(8192),
      attestationObject: binary(16_384),
      transports: z
        .array(z.string().regex(/^[a-z-]{1,32}$/))
        .max(10)
        .default([]),
    }),
  })
  .meta({ id: 'CreatedPasskey', description: '`toJSON()` of the credential that the browser created' })

export const passkeySignature = z
  .object({
    ...signed,
    response: z.object({
      clientDataJSON: binary(8192),
      authenticatorData: binary(4096),
      signature: binary(8192),
    }),
  })
  .meta({ id: 'PasskeySignature', description: '`toJSON()` of the credential that the browser used' })

export const newPasskey = z.object({ name: plainText(1, 100), credential: createdPasskey }).meta({ id: 'NewPasskey' })

const passkey = z
  .object({ id: uuid, name: z.string(), createdAt: instant, lastUsedAt: instant.nullable() })
  .meta({ id: 'Passkey' })

const ownersPasskeys = { service: 'auth', access: 'keys:write' } as const
const onlyOwner = 'Only for sessions of the owner.'
const passkeyParams = z.object({ passkeyId: uuid })

export const listPasskeys = endpoint({
  method: 'GET',
  path: '/api/account/passkeys',
  ...ownersPasskeys,
  summary: 'List the owner’s passkeys',
  description: onlyOwner,
  success: {
    status: 200,
    schema: z.object({ passkeys: z.array(passkey), recoveryCodeCreatedAt: instant }),
  },
  errors: [],
})

export const beginPasskey = endpoint({
  method: 'POST',
  path: '/api/account/passkeys/options',
  ...ownersPasskeys,
  summary: 'Begin to add a passkey',
  description: `${onlyOwner} Returns 404 if passkeys do not work at \`PUBLIC_URL\`.`,
  repeatable: true,
  success: { status: 200, schema: passkeyCreation },
  errors: ['not_found'],
})

export const addPasskey = endpoint({
  method: 'POST',
  path: '/api/account/passkeys',
  ...ownersPasskeys,
  summary: 'Add a passkey',
  description: onlyOwner,
  body: newPasskey,
  success: { status: 201, schema: passkey },
  errors: ['not_found', 'passkey_refused', 'too_many_passkeys'],
})

export const renamePasskey = endpoint({
  method: 'PATCH',
  path: '/api/account/passkeys/:passkeyId',
  ...ownersPasskeys,
  summary: 'Rename a passkey',
  description: onlyOwner,
  params: passkeyParams,
  body: z.object({ name: plainText(1, 100) }),
  success: { status: 200, schema: passkey },
  errors: ['not_found'],
})

export const deletePasskey = endpoint({
  method: 'DELETE',
  path: '/api/account/passkeys/:passkeyId',
  ...ownersPasskeys,
  summary: 'Delete a passkey',
  description: `${onlyOwner} The passkey cannot sign in any more. Existing sessions continue; revoke them as API keys.`,
  params: passkeyParams,
  success: { status: 200, schema: passkey },
  errors: ['not_found'],
})

export const replaceRecoveryCode = endpoint({
  method: 'POST',
  path: '/api/account/recovery-code',
  ...ownersPasskeys,
  summary: 'Replace the recovery code',
  description: `${onlyOwner} Only this response has the new code. The old code no longer works.`,
  success: { status: 201, schema: z.object({ recoveryCode: z.string() }) },
  errors: [],
})
