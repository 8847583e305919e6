import { askProvider } from './ask-provider.ts'

export interface Tokens {
  accessToken: string
  refreshToken: string | null
  /** Milliseconds since 1970; null if unknown. */
  expiresAt: number | null
  /** Milliseconds from the response to the expiry. Missing in logins of older versions. */
  livesMs?: number | null
}

/** An error of the provider, with its code (RFC 6749 §5.2, RFC 8628 §3.5). */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: string

  constructor(code: string, description: unknown) {
    const said = typeof description === 'string' && description !== '' ? description.slice(0, 300) : code
    super(`The identity provider rejected the request: ${said}`)
    this.code = code
  }
}

/** Rejects with a `ProviderError` if the provider rejects the request. */
export async function requestTokens(
  endpoint: string,
  form: Record<string, string>,
  signal: AbortSignal,
): Promise<Tokens> {
  const { status, body } = await askProvider(endpoint, form, signal)
  if (typeof body.error === 'string') throw new ProviderError(body.error, body.error_description)
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type, expires_in: seconds } = body
  const isUsable = typeof accessToken === 'string' && /^[\x21-\x7e]+$/.test(accessToken)
  if (status !== 200 || !isUsable || String(type).toLowerCase() !== 'bearer') {
    throw new Error(`The identity provider returned status ${status} without a token`)
  }
  const life = Number(seconds)
  const livesMs = Number.isFinite(life) && life > 0 ? Math.min(life, 365 * 86_400) * 1000 : null
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
    expiresAt: livesMs === null ? null : Date.now() + livesMs,
    livesMs,
  }
}
