import { consoleUrl } from '../base.ts'
import {
  askForTokens,
  discover,
  type IdentityProvider,
  ProviderRefusal,
  readClaims,
  type Tokens,
  UntrustedAnswer,
} from './provider.ts'

/** Kept until the provider redirects back. */
interface Asked {
  state: string
  nonce: string
  verifier: string
  returnTo: string
}

const storageKey = 'tideport.authorization'
const redirectUri = consoleUrl.href
const random = () => base64Url(crypto.getRandomValues(new Uint8Array(32)))

export async function leaveToSignIn(provider: IdentityProvider, returnTo: string): Promise<void> {
  const metadata = await discover(provider)
  const asked: Asked = { state: random(), nonce: random(), verifier: random(), returnTo }
  sessionStorage.setItem(storageKey, JSON.stringify(asked))
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(asked.verifier))
  const url = new URL(metadata.authorization_endpoint)
  const query = {
    ...provider.parameters,
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: provider.scopes.join(' '),
    state: asked.state,
    nonce: asked.nonce,
    code_challenge: base64Url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  location.assign(url)
}

/** Any website can send the browser to such an address. */
export function isAnswer(): boolean {
  const query = new URLSearchParams(location.search)
  return location.pathname === consoleUrl.pathname && query.has('state') && (query.has('code') || query.has('error'))
}

/**
 * Exchanges the code in the address for tokens, and always cleans the address. Throws an `UntrustedAnswer` for a
 * response that this tab did not request or that is for another provider.
 */
export async function takeAnswer(provider: IdentityProvider): Promise<{ tokens: Tokens; returnTo: string }> {
  const answer = new URLSearchParams(location.search)
  const asked = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Asked | null
  sessionStorage.removeItem(storageKey)
  history.replaceState(null, '', consoleUrl)
  if (asked === null || answer.get('state') !== asked.state)
    throw new UntrustedAnswer('The response does not belong to a sign-in of this tab')
  const metadata = await discover(provider)
  const iss = answer.get('iss')
  const needsIss = metadata.authorization_response_iss_parameter_supported === true
  if (needsIss || iss !== null ? iss !== provider.issuer : false)
    throw new UntrustedAnswer('The response is from another issuer')
  const refusal = answer.get('error')
  if (refusal !== null) throw new ProviderRefusal(refusal)
  const tokens = await askForTokens(provider, metadata, {
    grant_type: 'authorization_code',
    code: answer.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: asked.verifier,
  }).catch((error) => {
    // The code was used, or belongs to another sign-in (RFC 6749 §5.2).
    if (error instanceof ProviderRefusal && error.code === 'invalid_grant')
      throw new UntrustedAnswer('The code belongs to another sign-in')
    throw error
  })
  if (tokens.id_token === undefined) throw new UntrustedAnswer('The response has no ID token')
  checkIdToken(provider, tokens.id_token, asked.nonce)
  return { tokens, returnTo: asked.returnTo }
}

/** OpenID Connect Core §3.1.3.7, except the signature. With several audiences `azp` names the client. */
function checkIdToken({ issuer, clientId }: IdentityProvider, idToken: string, nonce: string): void {
  const claims = readClaims(idToken)
  const audiences = [claims.aud].flat()
  const isForUs = audiences.includes(clientId) && (claims.azp ?? (audiences.length > 1 ? null : clientId)) === clientId
  const isValid = typeof claims.exp === 'number' && claims.exp * 1000 > Date.now() - 60_000
  if (claims.iss !== issuer || !isForUs || !isValid || claims.nonce !== nonce) {
    throw new UntrustedAnswer('The ID token is for another client or sign-in, or has expired')
  }
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
