import { AppError } from '@tideport/service-kit/process/app-error'
import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters } from 'jose'
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote'

const COOLDOWN_MS = 30_000
/** Without any key, every login fails, so the next attempt comes sooner. */
const COOLDOWN_WITHOUT_KEYS_MS = 1_000
const KEPT_MS = 24 * 3600 * 1000
const TIMEOUT_MS = 5_000

export interface JwksCache {
  /** Fetches unknown keys at most once in 30 s, or 1 s without keys. Throws 503 while the provider is unavailable. */
  getKey: (header: JWSHeaderParameters) => Promise<CryptoKey>
  /** For a signature that matches no known key: fetches the set as `getKey` does. Returns whether it was fetched. */
  renew(): Promise<boolean>
  /** Fetches the set again, for a periodic task. On failure, throws 503 and keeps the current set. */
  refresh(): Promise<void>
}

/** The last good set is used for 24 h, so tokens with a known key stay valid during an outage. */
export function createJwksCache(issuer: string, fetchJwks: (signal: AbortSignal) => Promise<JSONWebKeySet>): JwksCache {
  let failedAt = Number.NEGATIVE_INFINITY

  /** `Retry-After` matches the time of the next fetch. */
  function outage(waitMs: number, cause?: unknown): AppError {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
    return new AppError('unavailable', 'The identity provider is temporarily unavailable', { retryAfterSeconds, cause })
  }

  /**
   * jose counts its cooldown from the last success. In an outage, every token with an unknown key would cause a fetch.
   */
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

  // A placeholder: `fetchJwks` determines the URL, if necessary by discovery.
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
