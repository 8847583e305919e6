import type { SignIn } from '@tideport/sdk'

export type IdentityProvider = NonNullable<SignIn['identityProvider']>

/** What is used of the provider's OpenID discovery document. */
export interface Metadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  end_session_endpoint?: string
  revocation_endpoint?: string
  authorization_response_iss_parameter_supported?: boolean
}

/** The answer did not fit what was asked for: nothing in it is used. */
export class UntrustedAnswer extends Error {}

const answerSeconds = 20

/** Where a provider gives tokens. */
export type TokenEndpoint = Pick<Metadata, 'issuer' | 'token_endpoint'>

/** As it was found last. */
let known: TokenEndpoint | null = null

/** Throws an `UntrustedAnswer` for a document that speaks for somebody else, or leads where no browser should go. */
export async function discover({ issuer }: IdentityProvider): Promise<Metadata> {
  const metadata = (await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)) as Metadata
  if (metadata.issuer !== issuer) throw new UntrustedAnswer('Another issuer')
  const { authorization_endpoint, token_endpoint, end_session_endpoint, revocation_endpoint } = metadata
  for (const endpoint of [authorization_endpoint, token_endpoint]) assertSafe(endpoint)
  for (const endpoint of [end_session_endpoint, revocation_endpoint]) if (endpoint !== undefined) assertSafe(endpoint)
  known = { issuer, token_endpoint }
  return metadata
}

/** As far as it is known; else it is asked for. */
export async function findTokenEndpoint(provider: IdentityProvider): Promise<TokenEndpoint> {
  return known?.issuer === provider.issuer ? known : await discover(provider)
}

/** To be kept with what was got there, so that a reload need not ask. */
export const tokenEndpointNow = (): TokenEndpoint | null => known

/** As it was before a reload; null: it may be another one now. */
export function recallTokenEndpoint(endpoint: TokenEndpoint | null): void {
  if (endpoint !== null) assertSafe(endpoint.token_endpoint)
  known = endpoint
}

/** Only https, and http on this machine: never a program in an address. */
function assertSafe(endpoint: unknown): void {
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  const isLoopback = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1' || url?.hostname === '[::1]'
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback)) {
    throw new UntrustedAnswer('An endpoint that is not https')
  }
}

export interface Tokens {
  access_token: string
  refresh_token?: string
  id_token?: string
  expires_in?: number
}

/** The provider refused, in its own words. */
export class ProviderRefusal extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** One request to the token endpoint. Throws a `ProviderRefusal`, or whatever came in the way. */
export async function askForTokens(
  { clientId, parameters }: IdentityProvider,
  { token_endpoint }: TokenEndpoint,
  fields: Record<string, string>,
): Promise<Tokens> {
  const body = new URLSearchParams({ ...parameters, ...fields, client_id: clientId })
  const tokens = (await readJson(token_endpoint, { method: 'POST', body })) as Tokens
  if (typeof tokens.access_token !== 'string') throw new UntrustedAnswer('No access token')
  return tokens
}

async function readJson(url: string, init: RequestInit = {}): Promise<unknown> {
  const signal = AbortSignal.timeout(answerSeconds * 1000)
  const response = await fetch(url, { ...init, credentials: 'omit', cache: 'no-store', signal })
  const answer = (await response.json().catch(() => null)) as { error?: unknown } | null
  if (response.ok && answer !== null && typeof answer === 'object') return answer
  if (isRefusal(response.status) && typeof answer?.error === 'string') throw new ProviderRefusal(answer.error)
  throw new Error(`Status ${response.status}`)
}

/** That it is too busy or broken says nothing about whoever asks, though it may come with an `error`, too. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

export interface Claims {
  iss?: string
  aud?: string | string[]
  azp?: string
  exp?: number
  nonce?: string
  name?: string
  preferred_username?: string
  email?: string
}

/**
 * What an id token says. Its signature is not looked at: it came from the token endpoint itself, over TLS (OpenID Connect
 * Core §3.1.3.7, 6).
 */
export function readClaims(idToken: string): Claims {
  try {
    const payload = (idToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims
  } catch {
    throw new UntrustedAnswer('An id token that cannot be read')
  }
}
