import type { SignIn } from '@tideport/sdk'

export type IdentityProvider = NonNullable<SignIn['identityProvider']>

/** The fields of the OpenID discovery document that the console uses. */
export interface Metadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  end_session_endpoint?: string
  revocation_endpoint?: string
  authorization_response_iss_parameter_supported?: boolean
}

/** The response does not match the request, so none of it is used. */
export class UntrustedAnswer extends Error {}

const answerSeconds = 20

export type TokenEndpoint = Pick<Metadata, 'issuer' | 'token_endpoint'>

let known: TokenEndpoint | null = null

/** Throws an `UntrustedAnswer` for a document of another issuer or with an unsafe endpoint. */
export async function discover({ issuer }: IdentityProvider): Promise<Metadata> {
  const metadata = (await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)) as Metadata
  if (metadata.issuer !== issuer) throw new UntrustedAnswer('The metadata names another issuer')
  const { authorization_endpoint, token_endpoint, end_session_endpoint, revocation_endpoint } = metadata
  for (const endpoint of [authorization_endpoint, token_endpoint]) assertSafe(endpoint)
  for (const endpoint of [end_session_endpoint, revocation_endpoint]) if (endpoint !== undefined) assertSafe(endpoint)
  known = { issuer, token_endpoint }
  return metadata
}

export async function findTokenEndpoint(provider: IdentityProvider): Promise<TokenEndpoint> {
  return known?.issuer === provider.issuer ? known : await discover(provider)
}

/** Kept with the refresh token, so that a reload needs no discovery. */
export const tokenEndpointNow = (): TokenEndpoint | null => known

/** Null: the endpoint may have changed. */
export function recallTokenEndpoint(endpoint: TokenEndpoint | null): void {
  if (endpoint !== null) assertSafe(endpoint.token_endpoint)
  known = endpoint
}

/** Only https, or http on localhost. */
function assertSafe(endpoint: unknown): void {
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  const isLoopback = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1' || url?.hostname === '[::1]'
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback)) {
    throw new UntrustedAnswer('An endpoint does not use https')
  }
}

export interface Tokens {
  access_token: string
  refresh_token?: string
  id_token?: string
  expires_in?: number
}

/** `code` is the error code of the provider. */
export class ProviderRefusal extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Throws a `ProviderRefusal`, or another error without a valid response. */
export async function askForTokens(
  { clientId, parameters }: IdentityProvider,
  { token_endpoint }: TokenEndpoint,
  fields: Record<string, string>,
): Promise<Tokens> {
  const body = new URLSearchParams({ ...parameters, ...fields, client_id: clientId })
  const tokens = (await readJson(token_endpoint, { method: 'POST', body })) as Tokens
  if (typeof tokens.access_token !== 'string') throw new UntrustedAnswer('The response has no access token')
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

/** 408, 429, and 5xx do not refuse the user, although they may contain an `error`. */
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

/** Not verified: the token came from the token endpoint over TLS (OpenID Connect Core §3.1.3.7, 6). */
export function readClaims(idToken: string): Claims {
  try {
    const payload = (idToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims
  } catch {
    throw new UntrustedAnswer('The ID token cannot be parsed')
  }
}
