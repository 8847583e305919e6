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

/** At most this long before its end, and no more than a fifth of its life, a token is renewed. */
const SPARE_MS = 30_000

/** Whether the token ends before a request with it would have been answered. */
export const isStale = ({ expiresAt, livesMs }: Session): boolean =>
  expiresAt !== null && Date.now() > expiresAt - Math.min(SPARE_MS, (livesMs ?? Number.POSITIVE_INFINITY) / 5)

/** Spends the refresh token, which many providers take once alone. Rejects with a `ProviderError` where it is refused. */
export async function renewSession(session: Session, refreshToken: string, signal: AbortSignal): Promise<Session> {
  const { clientId, parameters, tokenEndpoint } = session
  const form = { ...parameters, grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  const tokens = await requestTokens(tokenEndpoint, form, signal)
  return { ...session, ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/** Ends it at the provider (RFC 7009); whether that was done. */
export async function revokeSession(session: Session, signal: AbortSignal): Promise<boolean> {
  const { revocationEndpoint, refreshToken, accessToken, clientId } = session
  if (revocationEndpoint === null) return false
  const hint = refreshToken === null ? 'access_token' : 'refresh_token'
  const form = { token: refreshToken ?? accessToken, token_type_hint: hint, client_id: clientId }
  const answer = await askProvider(revocationEndpoint, form, signal).catch(() => null)
  signal.throwIfAborted()
  return answer?.status === 200
}
