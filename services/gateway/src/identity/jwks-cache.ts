import { AppError } from '@tideport/service-kit/process/app-error'
import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters } from 'jose'
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote'

const COOLDOWN_MS = 30_000
/** Without any key every session fails, so the provider is asked again sooner. */
const COOLDOWN_WITHOUT_KEYS_MS = 1_000
const KEPT_MS = 24 * 3600 * 1000
const TIMEOUT_MS = 5_000

export interface JwksCache {
  /** Unknown keys are fetched at most once in 30 s, or 1 s without keys. Throws 503 while the provider is unavailable. */
  getKey: (header: JWSHeaderParameters) => Promise<CryptoKey>
  /** For a signature that no known key explains: fetches the set anew, as `getKey` does. Whether another one came. */
  renew(): Promise<boolean>
  /** Fetches the set anew; the present one stays when that fails, with 503. For a periodic task to call. */
  refresh(): Promise<void>
}

/** The last good set is used for 24 h, so an outage stops nobody whose key is known. */
export function createJwksCache(issuer: string, fetchJwks: (signal: AbortSignal) => Promise<JSONWebKeySet>): JwksCache {
  let failedAt = Number.NEGATIVE_INFINITY

  /** The provider is asked again when the client is told to. */
  function outage(waitMs: number, cause?: unknown): AppError {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
    return new AppError('unavailable', 'The identity provider is temporarily unavailable', { retryAfterSeconds, cause })
  }

  /** jose counts its cooldown from the last success: in an outage every token of a stranger would ask the provider. */
  async function fetchUnlessFailing(signal: AbortSignal): Promise<Response> {
    const startedAt = Date.now()
    const cooldownMs = keys.fresh ? COOLDOWN_MS : COOLDOWN_WITHOUT_KEYS_MS
    const waitMs = failedAt + cooldownMs - startedAt
    if (waitMs > 0) throw outage(waitMs)
    try {
      return Response.json(await fetchJwks(signal))
    } catch (error) {
      failedAt = startedAt
      throw outage(startedAt + cooldownMs - Date.now(), error)
    }
  }

  // The address is formal: `fetchJwks` knows the one to ask, which may have to be discovered.
  const keys = createRemoteJWKSet(new URL(issuer), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: KEPT_MS,
    [customFetch]: (_url, { signal }) => fetchUnlessFailing(signal),
  })

  return {
    getKey: keys,
    refresh: keys.reload,
    async renew() {
      if (keys.coolingDown) return false
      await keys.reload()
      return true
    },
  }
}
