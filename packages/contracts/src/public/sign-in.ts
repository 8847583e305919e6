import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { createdApiKey } from './api-keys.ts'
import { passkeyRequest, passkeySignature } from './passkeys.ts'

export const readSignIn = endpoint({
  method: 'GET',
  path: '/api/sign-in',
  service: 'gateway',
  access: 'public',
  summary: 'Read how to sign in',
  description:
    'The identity provider and this installation’s public client, with which an app can get tokens for people. API keys always work.',
  success: {
    status: 200,
    schema: z
      .object({
        identityProvider: z
          .object({
            issuer: z.string().describe('Its addresses are in its OpenID discovery document'),
            clientId: z.string().describe('A public client: it has no secret and uses PKCE'),
            scopes: z.array(z.string()),
            parameters: z
              .record(z.string(), z.string())
              .describe('Parameters to add to authorization and token requests, e.g. `audience` or `resource`'),
            deviceFlow: z.boolean().describe('Whether the client may use the device flow (RFC 8628)'),
          })
          .nullable()
          .describe('Null: no identity provider is configured'),
        publicUrl: z.string().nullable().describe('`PUBLIC_URL`: the address that links and signed URLs use'),
        passkeyOrigin: z
          .string()
          .nullable()
          .describe('Origin of the pages on which the owner’s passkeys work. Null: only the recovery code works'),
        s3Api: z
          .object({ url: z.string(), region: z.string() })
          .nullable()
          .describe('Endpoint URL and region for S3 clients. Null: this installation does not offer the S3 API'),
        development: z
          .boolean()
          .describe(
            'Development mode: requests without a token belong to the account of `X-Dev-User-Id` or `X-Dev-Provider-Id`',
          ),
      })
      .meta({ id: 'SignIn' }),
  },
  errors: [],
})

export const session = createdApiKey.meta({
  id: 'Session',
  description: 'An API key with full access that expires after 12 hours. Sign out by revoking the key',
})

const signsIn = { service: 'auth', access: 'public', signsIn: true } as const

export const beginPasskeySignIn = endpoint({
  method: 'POST',
  path: '/api/sign-in/passkey/options',
  ...signsIn,
  summary: 'Begin a sign-in with a passkey',
  description: 'Returns 404 if passkeys do not work at `PUBLIC_URL`. The challenge is valid for five minutes.',
  repeatable: true,
  success: { status: 200, schema: passkeyRequest },
  errors: ['not_found'],
})

export const signInWithPasskey = endpoint({
  method: 'POST',
  path: '/api/sign-in/passkey',
  ...signsIn,
  summary: 'Sign the owner in with a passkey',
  body: z.object({ credential: passkeySignature }),
  success: { status: 201, schema: z.object({ session }) },
  errors: ['not_found', 'passkey_refused'],
})

export const signInWithRecoveryCode = endpoint({
  method: 'POST',
  path: '/api/sign-in/recovery-code',
  ...signsIn,
  summary: 'Sign the owner in with the recovery code',
  description: 'Uses up the code. Only this response has the new one.',
  body: z.object({ recoveryCode: z.string().min(1).max(100) }),
  success: { status: 201, schema: z.object({ session, recoveryCode: z.string() }) },
  errors: ['wrong_recovery_code'],
})
