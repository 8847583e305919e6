/**
 * As whom a client calls; null: as nobody. A token may be asked for at each call, as those of browser sessions expire.
 */
export type Credentials =
  | { apiKey: string }
  | { bearerToken: string | ((signal: AbortSignal) => string | Promise<string>) }
  /** Development mode: by account id, by the identity provider's subject or, without either, as the first account. */
  | { development: { userId?: string; providerId?: string } }
  | null

/** The request headers that say so. */
export async function credentialHeaders(
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (credentials === null) return {}
  if ('apiKey' in credentials) return bearer(credentials.apiKey)
  if ('bearerToken' in credentials) {
    const { bearerToken } = credentials
    return bearer(typeof bearerToken === 'string' ? bearerToken : await bearerToken(signal))
  }
  const { userId, providerId } = credentials.development
  return {
    ...(userId !== undefined && { 'x-dev-user-id': userId }),
    ...(providerId !== undefined && { 'x-dev-provider-id': providerId }),
  }
}

/** Refused here, because `fetch` would say the whole of a header it cannot send in its error. */
function bearer(token: string): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The credential is empty or has characters that no token has')
  return { authorization: `Bearer ${token}` }
}
