import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'

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
          .describe('Null: browser sign-in is not configured'),
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
