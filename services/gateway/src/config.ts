import type { Config } from '@tideport/service-kit/config/config'
import {
  connectionSettings,
  portSetting,
  processSettings,
  streamDrainSettings,
} from '@tideport/service-kit/config/process-settings'
import {
  addressOrNetworkPattern,
  baseUrl,
  boolean,
  decimal,
  integer,
  list,
  origin,
  seconds,
  secret,
  url,
} from '@tideport/service-kit/config/setting'
import { z } from 'zod'
import { isLoopback, isNetwork } from './limits/client-address.ts'

const upstreams = () => list(baseUrl()).refine((urls) => urls.length > 0, 'must name an upstream')
const network = () =>
  z
    .string()
    .refine(isNetwork, 'must be addresses or networks such as 10.0.0.0/8')
    .meta({ pattern: addressOrNetworkPattern })
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const

const upstreamSettings = {
  AUTH_URL: upstreams().describe('The auth service, a comma list used round robin'),
  FILES_URL: upstreams().describe('The files service, a comma list used round robin'),
  WEBHOOKS_URL: upstreams().describe('The webhooks service, a comma list used round robin'),
  CONFIRM_WAIT_SECONDS: seconds({ min: 1 })
    .default(50)
    .describe('How long the files service may wait for the store in a confirm; the gateway waits 10 s longer'),
}

const identitySettings = {
  IDENTITY_TOKEN_PRIVATE_KEY: secret(
    z.string().refine(isPrivateKey, 'must be an Ed25519 private key as a JWK with a kid'),
  ).describe('Signs the identity tokens that services trust, a JWK'),
  IDENTITY_PROVIDER_ISSUER: url().optional().describe('Issuer of accepted JWTs; without one every JWT gets 401'),
  IDENTITY_PROVIDER_AUDIENCE: z.string().optional().describe('Audience that accepted JWTs must name'),
  IDENTITY_PROVIDER_JWKS_URL: url().optional().describe('Key set of the issuer; found by discovery when unset'),
  IDENTITY_PROVIDER_ALGORITHMS: list(z.enum(algorithms))
    .refine((names) => names.length > 0, 'must name an algorithm')
    .default(['RS256', 'ES256', 'EdDSA'])
    .describe('Accepted signature algorithms, a comma list'),
  IDENTITY_PROVIDER_CLIENT_ID: z
    .string()
    .optional()
    .describe('The public client (no secret, PKCE) by which people sign in; without one only keys can be used there'),
  IDENTITY_PROVIDER_SCOPES: list(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be scopes'))
    .refine((scopes) => scopes.includes('openid'), 'must name openid')
    .default(['openid', 'profile', 'offline_access'])
    .describe('Scopes that clients ask for, a comma list'),
  IDENTITY_PROVIDER_PARAMETERS: z
    .string()
    .regex(/^[\w.~%+-]+=[\w.~%+:/-]*(&[\w.~%+-]+=[\w.~%+:/-]*)*$/, 'must be parameters such as audience=tideport')
    .optional()
    .describe('What clients add to requests for authorization and tokens, as in a query: audience=…&resource=…'),
  IDENTITY_PROVIDER_DEVICE_FLOW: boolean()
    .default(false)
    .describe('Whether the public client may use the device flow, for the command line on machines without a browser'),
  KEY_ANSWER_SECONDS: decimal({ max: 5 })
    .default(1)
    .describe(
      'How long an answer that an API key is good is used, counted from before it was asked for, never longer than REVOCATION_WAIT_SECONDS of auth; 0 = each request asks',
    ),
}

const operatorSettings = {
  OPERATOR_CLAIM: z
    .string()
    .regex(/^[^=\s]+=\S( ?\S)*$/, 'must be a claim and a value such as groups=tideport-operators')
    .transform((text) => ({ name: text.slice(0, text.indexOf('=')), value: text.slice(text.indexOf('=') + 1) }))
    .optional()
    .describe(
      'Who operates the installation: a claim of tokens, and what it is or lists; without one /api/operator is 404',
    ),
  DEVELOPMENT_OPERATOR: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('The X-Dev-Provider-Id that is an operator in development mode'),
}

const limitSettings = {
  RATE_LIMIT_PER_SECOND: decimal().default(50).describe('Requests per second of one account; 0 = no limit'),
  RATE_LIMIT_BURST: integer().default(100).describe('Requests of one account at once; 0 = no limit'),
  RATE_LIMIT_ANONYMOUS_PER_SECOND: decimal()
    .default(20)
    .describe('Requests per second of one address without an account, and its failed logins told 401; 0 = no limit'),
  RATE_LIMIT_ANONYMOUS_BURST: integer().default(40).describe('The same at once; 0 = no limit'),
  TRUSTED_PROXIES: list(network()).default([]).describe('Networks whose X-Forwarded-For counts, a comma list of CIDRs'),
}

const consoleSettings = {
  CONSOLE_DIR: z.string().optional().describe('Where the built console is, served at /console; unset: there is none'),
  CONSOLE_CONNECT_ORIGINS: list(origin())
    .default([])
    .describe(
      'Origins that the console sends to beside its own, a comma list: that of presigned URLs, and of the identity provider’s token endpoint where that is not its issuer’s',
    ),
}

const streamSettings = {
  STREAMS_MAX: integer({ min: 1 })
    .default(256)
    .describe('Downloads, and uploads in one call, at once through one gateway process'),
  STREAMS_PER_ADDRESS_MAX: integer({ min: 1 }).default(64).describe('The same to and from one client address'),
  STREAM_STALL_SECONDS: seconds({ min: 1 })
    .default(30)
    .describe('An answer is cut when its reader takes none of it for so long, an upload when its sender sends none'),
}

const developmentSettings = {
  DEVELOPMENT_HOSTS: list(z.string().regex(/^[^\s/?#@:]+$/, 'must be host names without ports'))
    .default([])
    .describe('Host names that development mode answers to beside localhost and that of PUBLIC_URL, a comma list'),
  DEVELOPMENT_ALLOW_NETWORK: boolean()
    .default(false)
    .describe('Allow development mode, which lets anyone in, on an address that others can reach'),
  NODE_ENV: z.string().optional().describe('Development mode refuses to start when this is "production"'),
}

export const settings = z
  .object({
    ...processSettings,
    PORT: portSetting(8080),
    ...connectionSettings,
    ...streamDrainSettings,
    PUBLIC_URL: baseUrl()
      .optional()
      .describe(
        'Address that clients use, for the API description; needed where a proxy puts a path before /console and /docs',
      ),
    ...upstreamSettings,
    ...identitySettings,
    ...operatorSettings,
    ...limitSettings,
    ...streamSettings,
    ...consoleSettings,
    CORS_ORIGINS: list(z.union([z.literal('*'), origin()]))
      .default([])
      .describe('Browser origins that may call the API, a comma list; * is any; the bucket needs the same'),
    ...developmentSettings,
  })
  .refine((env) => !isDevelopment(env.SERVICE_ENV) || env.NODE_ENV !== 'production', {
    path: ['SERVICE_ENV'],
    error: 'development mode is refused while NODE_ENV is "production"',
  })
  .refine((env) => !isDevelopment(env.SERVICE_ENV) || env.DEVELOPMENT_ALLOW_NETWORK || isLoopback(env.HOST), {
    path: ['HOST'],
    error: 'development mode needs a loopback address such as 127.0.0.1, or DEVELOPMENT_ALLOW_NETWORK=true',
  })
  .refine((env) => env.IDENTITY_PROVIDER_ISSUER === undefined || env.IDENTITY_PROVIDER_AUDIENCE !== undefined, {
    path: ['IDENTITY_PROVIDER_AUDIENCE'],
    error: 'is required together with IDENTITY_PROVIDER_ISSUER',
  })
  .refine((env) => env.IDENTITY_PROVIDER_CLIENT_ID === undefined || env.IDENTITY_PROVIDER_ISSUER !== undefined, {
    path: ['IDENTITY_PROVIDER_ISSUER'],
    error: 'is required together with IDENTITY_PROVIDER_CLIENT_ID',
  })
  .refine((env) => env.OPERATOR_CLAIM === undefined || env.IDENTITY_PROVIDER_ISSUER !== undefined, {
    path: ['IDENTITY_PROVIDER_ISSUER'],
    error: 'is required together with OPERATOR_CLAIM',
  })

/** Only this exact word turns development mode on (docs/reference/http/conventions.md §5). */
export function isDevelopment(serviceEnv: string): boolean {
  return serviceEnv === 'development'
}

export function hasOperators(config: Config<typeof settings.shape>): boolean {
  const { operatorClaim, developmentOperator, serviceEnv } = config
  return operatorClaim !== undefined || (developmentOperator !== undefined && isDevelopment(serviceEnv))
}

function isPrivateKey(text: string): boolean {
  try {
    const jwk = JSON.parse(text) as Record<string, unknown>
    return jwk.crv === 'Ed25519' && typeof jwk.d === 'string' && typeof jwk.kid === 'string'
  } catch {
    return false
  }
}
