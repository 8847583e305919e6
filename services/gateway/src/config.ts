import { api } from '@tideport/contracts/public/api'
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
  port,
  seconds,
  secret,
  url,
} from '@tideport/service-kit/config/setting'
import { z } from 'zod'
import { isLoopback, isNetwork } from './limits/client-address.ts'

const upstreams = () => list(baseUrl()).refine((urls) => urls.length > 0, 'must contain at least one URL')
const network = () =>
  z
    .string()
    .refine(isNetwork, 'must be addresses or networks such as 10.0.0.0/8')
    .meta({ pattern: addressOrNetworkPattern })
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const

const upstreamSettings = {
  AUTH_URL: upstreams().describe('Base URLs of the auth service, comma-separated, used round-robin'),
  FILES_URL: upstreams().describe('Base URLs of the files service, comma-separated, used round-robin'),
  WEBHOOKS_URL: upstreams().describe('Base URLs of the webhooks service, comma-separated, used round-robin'),
  CONFIRM_WAIT_SECONDS: seconds({ min: 1 })
    .default(50)
    .describe(
      'How long the files service may wait for hot storage when it confirms an upload; the gateway waits 10 s longer',
    ),
}

const ownPaths = ['console', 'docs', 'ready', ...Object.values(api).map(({ path }) => path.split('/')[1])]

const pathOf = (text: string) => URL.parse(text)?.pathname ?? ''

const bucketSettings = {
  FORWARDED_BUCKET_URL: baseUrl()
    .refine((text) => /^\/[a-z0-9][a-z0-9.-]{2,62}$/.test(pathOf(text)), 'must end in the name of a bucket')
    .refine((text) => !ownPaths.includes(pathOf(text).slice(1)), 'the gateway itself has this path')
    .optional()
    .describe(
      'Object storage and bucket, such as http://s3:9000/tideport-hot, to which the gateway forwards presigned URLs that have its own address. If unset, clients reach the object storage directly.',
    ),
}

const hostName = z.string().regex(/^(?!-)[a-z0-9.-]+$/, 'must be host names in lowercase, without ports')

const s3ApiSettings = {
  S3_API_PORT: port()
    .optional()
    .describe('Port of the S3 API; 0 selects a free port. If unset, only S3_API_HOSTS have the S3 API.'),
  S3_API_HOSTS: list(hostName)
    .default([])
    .describe(
      'Host names of the S3 API, comma-separated. Requests to them and to BUCKET.HOST use the S3 API on PORT, too.',
    ),
  S3_API_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be a region such as us-east-1')
    .default('us-east-1')
    .describe('Region that S3 clients must sign for'),
  S3_API_URL: baseUrl().optional().describe('URL of the S3 API that users see. If unset, the console shows none.'),
}

const identitySettings = {
  IDENTITY_TOKEN_PRIVATE_KEY: secret(
    z.string().refine(isPrivateKey, 'must be an Ed25519 private key as a JWK with a kid'),
  ).describe('Private key (JWK) that signs the identity tokens for the other services'),
  IDENTITY_PROVIDER_ISSUER: url().optional().describe('Issuer of accepted JWTs. If unset, every JWT gets 401.'),
  IDENTITY_PROVIDER_AUDIENCE: z.string().optional().describe('Audience that accepted JWTs must contain'),
  IDENTITY_PROVIDER_JWKS_URL: url()
    .optional()
    .describe('JWKS URL of the issuer. Defaults to the one from OpenID discovery.'),
  IDENTITY_PROVIDER_ALGORITHMS: list(z.enum(algorithms))
    .refine((names) => names.length > 0, 'must contain at least one algorithm')
    .default(['RS256', 'ES256', 'EdDSA'])
    .describe('Accepted signature algorithms, comma-separated'),
  IDENTITY_PROVIDER_CLIENT_ID: z
    .string()
    .optional()
    .describe('Public client (no secret, PKCE) for sign-in. If unset, users can sign in only with API keys.'),
  IDENTITY_PROVIDER_SCOPES: list(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be OAuth scopes such as openid'))
    .refine((scopes) => scopes.includes('openid'), 'must include openid')
    .default(['openid', 'profile', 'offline_access'])
    .describe('Scopes that clients request, comma-separated'),
  IDENTITY_PROVIDER_PARAMETERS: z
    .string()
    .regex(/^[\w.~%+-]+=[\w.~%+:/-]*(&[\w.~%+-]+=[\w.~%+:/-]*)*$/, 'must be query parameters such as audience=tideport')
    .optional()
    .describe('Query parameters that clients add to authorization and token requests: audience=…&resource=…'),
  IDENTITY_PROVIDER_DEVICE_FLOW: boolean()
    .default(false)
    .describe('Whether the public client may use the device flow, for the command line on machines without a browser'),
  KEY_ANSWER_SECONDS: decimal({ max: 5 })
    .default(1)
    .describe(
      'How long the gateway caches a valid API key, counted from before its lookup. REVOCATION_WAIT_SECONDS of the auth service is the upper limit. 0 disables the cache.',
    ),
}

const operatorSettings = {
  OPERATOR_CLAIM: z
    .string()
    .regex(/^[^=\s]+=\S( ?\S)*$/, 'must be a claim and a value such as groups=tideport-operators')
    .transform((text) => ({ name: text.slice(0, text.indexOf('=')), value: text.slice(text.indexOf('=') + 1) }))
    .optional()
    .describe(
      'Claim and value that make a user an operator: the claim equals or lists the value. If unset, only the owner is an operator.',
    ),
  DEVELOPMENT_OPERATOR: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('X-Dev-Provider-Id of the operator in development mode'),
}

const limitSettings = {
  RATE_LIMIT_PER_SECOND: decimal().default(50).describe('Requests per second of one account; 0 disables the limit'),
  RATE_LIMIT_BURST: integer().default(100).describe('Requests that one account may send at once; 0 disables the limit'),
  RATE_LIMIT_ANONYMOUS_PER_SECOND: decimal()
    .default(20)
    .describe(
      'Unauthenticated requests per second of one address, and separately its rejected credentials; 0 disables both limits',
    ),
  RATE_LIMIT_ANONYMOUS_BURST: integer()
    .default(40)
    .describe(
      'Unauthenticated requests that one address may send at once, and separately rejected credentials; 0 disables both limits',
    ),
  TRUSTED_PROXIES: list(network())
    .default([])
    .describe('Proxy networks whose X-Forwarded-For header is trusted, comma-separated CIDRs'),
}

const consoleSettings = {
  CONSOLE_DIR: z
    .string()
    .optional()
    .describe('Directory of the built console, served at /console. If unset, the gateway serves no console.'),
  CONSOLE_CONNECT_ORIGINS: list(origin())
    .default([])
    .describe(
      'Additional origins that the console may connect to, comma-separated: the origin of presigned URLs and, if it differs from the issuer’s, of the token endpoint',
    ),
}

const streamSettings = {
  STREAMS_MAX: integer({ min: 1 })
    .default(256)
    .describe('Concurrent downloads and one-request uploads of one gateway process'),
  STREAMS_PER_ADDRESS_MAX: integer({ min: 1 })
    .default(64)
    .describe('Concurrent downloads and one-request uploads of one client address'),
  STREAM_STALL_SECONDS: seconds({ min: 1 })
    .default(30)
    .describe('Time without progress after which a response that the client does not read, or an upload, is cut off'),
}

const developmentSettings = {
  DEVELOPMENT_HOSTS: list(z.string().regex(/^[^\s/?#@:]+$/, 'must be host names without ports'))
    .default([])
    .describe(
      'Host names that development mode accepts in addition to localhost and the host of PUBLIC_URL, comma-separated',
    ),
  DEVELOPMENT_ALLOW_NETWORK: boolean()
    .default(false)
    .describe('Allows development mode, which accepts any caller, on an address that other machines can reach'),
  NODE_ENV: z.string().optional().describe('Development mode does not start when this is "production"'),
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
        'Base URL that clients use, for the API description. Required if a proxy adds a path before /console and /docs.',
      ),
    ...upstreamSettings,
    ...bucketSettings,
    ...s3ApiSettings,
    ...identitySettings,
    ...operatorSettings,
    ...limitSettings,
    ...streamSettings,
    ...consoleSettings,
    CORS_ORIGINS: list(z.union([z.literal('*'), origin()]))
      .default([])
      .describe(
        'Browser origins that may call the API, comma-separated; * allows any. The bucket must allow the same origins.',
      ),
    ...developmentSettings,
  })
  .refine((env) => !isDevelopment(env.SERVICE_ENV) || env.NODE_ENV !== 'production', {
    path: ['SERVICE_ENV'],
    error: 'development mode cannot start while NODE_ENV is "production"',
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

/** Only this exact word turns development mode on (docs/reference/http/conventions.md). */
export function isDevelopment(serviceEnv: string): boolean {
  return serviceEnv === 'development'
}

function isPrivateKey(text: string): boolean {
  try {
    const jwk = JSON.parse(text) as Record<string, unknown>
    return jwk.crv === 'Ed25519' && typeof jwk.d === 'string' && typeof jwk.kid === 'string'
  } catch {
    return false
  }
}
