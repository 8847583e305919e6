import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { newPasskey, passkeyCreation } from './passkeys.ts'
import { session } from './sign-in.ts'

const token = z
  .string()
  .min(1)
  .max(100)
  .describe('The part after `#token=` of the set-up link, from the log of the auth service or `operator set-up-link`')

const ofSetUp = { service: 'auth', access: 'public', signsIn: true } as const

export const beginSetUp = endpoint({
  method: 'POST',
  path: '/api/set-up/options',
  ...ofSetUp,
  summary: 'Check a set-up token',
  description: 'Returns 404 for a wrong token, and for every token after the set-up.',
  repeatable: true,
  body: z.object({ token }),
  success: {
    status: 200,
    schema: z.object({
      publicUrl: z.string().nullable().describe('`PUBLIC_URL`, where passkeys work'),
      passkey: passkeyCreation.nullable().describe('Null if passkeys do not work at `PUBLIC_URL`'),
    }),
  },
  errors: ['not_found'],
})

export const completeSetUp = endpoint({
  method: 'POST',
  path: '/api/set-up',
  ...ofSetUp,
  summary: 'Create the owner',
  description:
    'Uses up the token, and signs the owner in. Of several requests, one succeeds. If its response is lost, sign in with the passkey, or create a new token with `operator set-up-link`.',
  body: z.object({
    token,
    passkey: newPasskey.nullish().describe('Omitted or null: only the recovery code signs in'),
  }),
  success: {
    status: 201,
    schema: z.object({ session, recoveryCode: z.string().describe('Only this response has the code') }),
  },
  errors: ['not_found', 'passkey_refused'],
})
