import { consoleUrl } from '../base.ts'
import {
  askForTokens,
  discover,
  findTokenEndpoint,
  type IdentityProvider,
  ProviderRefusal,
  readClaims,
  recallTokenEndpoint,
  type Tokens,
  tokenEndpointNow,
} from './provider.ts'
import { endSession, forget, keep, type Session } from './session.ts'

/** Tokens that expire sooner are renewed before use. */
const spareMs = 30_000
/** The lifetime of a token without `expires_in`. */
const unsaidSeconds = 300

/** The access token stays in memory. */
export function providerSession(provider: IdentityProvider, first: Tokens): Session {
  let current = held(first)
  let renewing: Promise<void> | undefined
  let isOver = false

  async function renew(): Promise<void> {
    if (current.refreshToken === undefined) return endSession()
    try {
      const tokens = await renewTokens(provider, current.refreshToken)
      current = held({ refresh_token: current.refreshToken, ...tokens })
      if (isOver) forget()
    } catch (error) {
      if (error instanceof ProviderRefusal) endSession()
      throw error
    }
  }
  return {
    kind: 'provider',
    name: nameIn(first),
    async token() {
      if (Date.now() > current.usableUntil) {
        renewing ??= renew().finally(() => {
          renewing = undefined
        })
        await renewing
      }
      return current.accessToken
    },
    async leave() {
      isOver = true
      // The renewal brings a refresh token that must be revoked, too.
      await renewing?.catch(() => {})
      await leave(provider, current.refreshToken, first.id_token)
    },
  }
}

/** Throws a `ProviderRefusal` when the user must sign in again. */
export async function renewTokens(provider: IdentityProvider, refreshToken: string): Promise<Tokens> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken }
  try {
    return await askForTokens(provider, await findTokenEndpoint(provider), fields)
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) recallTokenEndpoint(null)
    throw error
  }
}

function held({ access_token, refresh_token, expires_in = unsaidSeconds }: Tokens) {
  if (refresh_token !== undefined) keep({ kind: 'provider', refreshToken: refresh_token, from: tokenEndpointNow() })
  const usableUntil = Date.now() + Math.max(expires_in * 1000 - spareMs, (expires_in * 1000) / 2)
  return { accessToken: access_token, refreshToken: refresh_token, usableUntil }
}

function nameIn({ id_token }: Tokens): string | null {
  if (id_token === undefined) return null
  const { name, preferred_username, email } = readClaims(id_token)
  return name ?? preferred_username ?? email ?? null
}

/** Revokes the refresh token, and ends the provider's session where supported. */
async function leave(provider: IdentityProvider, refreshToken?: string, idToken?: string): Promise<void> {
  const { clientId } = provider
  const { revocation_endpoint, end_session_endpoint } = await discover(provider)
  if (revocation_endpoint !== undefined && refreshToken !== undefined) {
    const body = new URLSearchParams({ token: refreshToken, client_id: clientId })
    await fetch(revocation_endpoint, { method: 'POST', body, credentials: 'omit' }).catch(() => {})
  }
  if (end_session_endpoint === undefined) return
  const url = new URL(end_session_endpoint)
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('post_logout_redirect_uri', consoleUrl.href)
  if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
  location.assign(url)
}
