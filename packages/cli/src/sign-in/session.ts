import { askProvider } from './ask-provider.ts'
import type { Provider } from './read-provider.ts'
import { requestTokens, type Tokens } from './request-tokens.ts'

export interface Session extends Tokens {
  issuer: string
  clientId: string
  parameters: Record<string, string>
  tokenEndpoint: string
  revocationEndpoint: string | null
}

export function sessionOf(provider: Provider, tokens: Tokens): Session {
  const { issuer, clientId, parameters, tokenEndpoint, revocationEndpoint } = provider
  return { issuer, clientId, parameters, tokenEndpoint, revocationEndpoint, ...tokens }
}

export function parseSession(secret: string): Session | null {
  if (!secret.startsWith('{')) return null
  try {
    const session = JSON.parse(secret) as Session
    return typeof session.accessToken === 'string' && typeof session.tokenEndpoint === 'string' ? session : null
  } catch {
    return null
  }
}

/** A token is renewed this long before it expires, or a fifth of its lifetime before, if that is shorter. */
const SPARE_MS = 30_000

/** Whether the token may expire before a request with it is complete. */
export const isStale = ({ expiresAt, livesMs }: Session): boolean =>
  expiresAt !== null && Date.now() > expiresAt - Math.min(SPARE_MS, (livesMs ?? Number.POSITIVE_INFINITY) / 5)

/** Uses the refresh token, which many providers accept only once. Rejects with a `ProviderError` if it is rejected. */
export async function renewSession(session: Session, refreshToken: string, signal: AbortSignal): Promise<Session> {
  const { clientId, parameters, tokenEndpoint } = session
  const form = { ...parameters, grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  const tokens = await requestTokens(tokenEndpoint, form, signal)
  return { ...session, ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/** Revokes the login at the provider (RFC 7009). Returns whether that succeeded. */
export async function revokeSession(session: Session, signal: AbortSignal): Promise<boolean> {
  const { revocationEndpoint, refreshToken, accessToken, clientId } = session
  if (revocationEndpoint === null) return false
  const hint = refreshToken === null ? 'access_token' : 'refresh_token'
  const form = { token: refreshToken ?? accessToken, token_type_hint: hint, client_id: clientId }
  const answer = await askProvider(revocationEndpoint, form, signal).catch(() => null)
  signal.throwIfAborted()
  return answer?.status === 200
}
