import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'

export const readSignIn = endpoint({
  method: 'GET',
  path: '/api/sign-in',
  service: 'gateway',
  access: 'public',
  summary: 'Read how to sign in',
  description:
    'What a client for people needs to get a token: the identity provider and this installation’s public client there. API keys work in any case.',
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
              .describe('To be added to requests for authorization and for tokens, e.g. `audience` or `resource`'),
            deviceFlow: z.boolean().describe('Whether the client may use the device flow (RFC 8628)'),
          })
          .nullable()
          .describe('Null: nobody signs in through a browser'),
        development: z
          .boolean()
          .describe('Development mode: without a token everybody is whom `X-Dev-User-Id` or `X-Dev-Provider-Id` says'),
      })
      .meta({ id: 'SignIn' }),
  },
  errors: [],
})
