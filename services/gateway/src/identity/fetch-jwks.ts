import type { JSONWebKeySet } from 'jose'
import { request } from 'undici'
import { z } from 'zod'

const TIMEOUT_MS = 5000
const SIZE_MAX_BYTES = 256 * 1024

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() })
const key = z.looseObject({ kty: z.string() })
/** What is no key is passed over, not held against the others (RFC 7517 §5). */
const keySet = z.object({
  keys: z
    .array(z.unknown())
    .transform((keys) => keys.filter((entry) => key.safeParse(entry).success))
    .refine((keys) => keys.length > 0, { error: 'There is no key in it' }),
})

export interface KeySetSource {
  issuer: string
  /** Found by OpenID discovery when absent. */
  jwksUrl: string | undefined
}

/**
 * Fetches the issuer's public keys, in 5 s all told. Throws for anything but a set with keys, so that an empty or broken
 * answer never takes the place of a good one. The addresses come from configuration and the issuer, never from a token.
 */
export async function fetchKeySet({ issuer, jwksUrl }: KeySetSource): Promise<JSONWebKeySet> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const url = jwksUrl ?? (await discover(issuer, signal))
  return keySet.parse(await fetchJson(url, signal)) as JSONWebKeySet
}

async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = discoveryDocument.parse(await fetchJson(url, signal))
  if (found.issuer !== issuer) throw new Error('The discovery document names another issuer')
  return found.jwks_uri
}

/** Redirects are not followed. */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const { statusCode, body } = await request(url, { signal, headers: { accept: 'application/json' } })
  if (statusCode !== 200) {
    await body.dump()
    throw new Error(`The identity provider answered ${statusCode}`)
  }
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > SIZE_MAX_BYTES) throw new Error('The identity provider answered too much')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}
