import { buildConnector } from '@tideport/http-client/connector'
import type { JSONWebKeySet } from 'jose'
import type undici from 'undici'
import { z } from 'zod'

const ANSWER_MAX_BYTES = 256 * 1024

let agent: undici.Agent | undefined

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() })
const key = z.looseObject({ kty: z.string() })
/** Ignores entries that are not keys; the other keys remain usable (RFC 7517 §5). */
const keySet = z.object({
  keys: z
    .array(z.unknown())
    .transform((keys) => keys.filter((entry) => key.safeParse(entry).success))
    .refine((keys) => keys.length > 0, { error: 'The JWKS contains no key' }),
})

interface JwksSource {
  issuer: string
  /** Undefined: found by OpenID discovery. */
  jwksUrl: string | undefined
}

/** Throws unless the response has keys, so a bad response never replaces a good set. Uses no URL from a token. */
export async function fetchJwks({ issuer, jwksUrl }: JwksSource, signal: AbortSignal): Promise<JSONWebKeySet> {
  const url = jwksUrl ?? (await discover(issuer, signal))
  return keySet.parse(await fetchJson(url, signal)) as JSONWebKeySet
}

async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = discoveryDocument.parse(await fetchJson(url, signal))
  if (found.issuer !== issuer) {
    throw new Error(
      `IDENTITY_PROVIDER_ISSUER is ${issuer}, but ${url} reports ${found.issuer}. Set it to exactly that URL.`,
    )
  }
  return found.jwks_uri
}

/** Does not follow redirects. */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  // Imported only with a provider: the import takes a tenth of the startup time.
  const { Agent, request } = await import('undici')
  agent ??= new Agent({ maxResponseSize: ANSWER_MAX_BYTES, connect: buildConnector({}) })
  const options = { dispatcher: agent, signal, headers: { accept: 'application/json' } }
  const { statusCode, body } = await request(url, options)
  if (statusCode === 200) return await body.json()
  await body.dump()
  throw new Error(`The identity provider returned HTTP ${statusCode}`)
}
