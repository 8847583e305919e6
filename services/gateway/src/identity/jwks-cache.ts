import { AppError } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

const ATTEMPT_EVERY_MS = 30_000
/** Without any key every session fails, so the provider is asked again sooner. */
const ATTEMPT_WITHOUT_KEYS_EVERY_MS = 1_000
const KEPT_MS = 24 * 3600 * 1000

export interface KeySetKeeper {
  /**
   * The key that a token's header names. One not known yet is looked for, at most once in 30 s; any at all, once in 1 s.
   * One that is still unknown is 503 like in `renew`.
   */
  getKey: JWTVerifyGetKey
  /**
   * For a signature that no known key explains: fetches the set anew, as `getKey` does. Whether another one came.
   * Throws 503 when the provider did not answer the last time it was asked: it might have the key.
   */
  renew(): Promise<boolean>
  /** Fetches the set anew; the present one stays when that fails. For a periodic task to call. */
  refresh(): Promise<void>
}

export interface KeySetKeeperOptions {
  fetchKeySet: () => Promise<JSONWebKeySet>
  /** Milliseconds. */
  now: () => number
  log: Log
}

/**
 * Keeps the identity provider's public keys. An outage of the provider stops nobody whose key is known: the last good set
 * is used for 24 h. Attempts are counted from the last one, good or bad, so a flood of unknown keys fetches nothing more.
 */
export function createKeySetKeeper({ fetchKeySet, now, log }: KeySetKeeperOptions): KeySetKeeper {
  let current: { find: JWTVerifyGetKey; fetchedAt: number } | null = null
  let attemptedAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let attempt: Promise<void> | null = null

  async function fetchOnce(): Promise<void> {
    attemptedAt = now()
    try {
      current = { find: createLocalJWKSet(await fetchKeySet()), fetchedAt: now() }
      hasFailed = false
    } catch (error) {
      hasFailed = true
      log.warn({ err: error }, 'identity provider keys could not be fetched')
    } finally {
      attempt = null
    }
  }

  function refresh(): Promise<void> {
    attempt ??= fetchOnce()
    return attempt
  }

  async function refreshUnlessRecent(recentMs: number): Promise<void> {
    if (attempt !== null || now() - attemptedAt >= recentMs) await refresh()
  }

  function kept(): JWTVerifyGetKey | null {
    return current !== null && now() - current.fetchedAt <= KEPT_MS ? current.find : null
  }

  function find(...token: Parameters<JWTVerifyGetKey>) {
    const findKept = kept()
    if (findKept === null) throw outage(ATTEMPT_WITHOUT_KEYS_EVERY_MS)
    return findKept(...token)
  }

  /** The provider is asked again when the client is told to. */
  function outage(attemptEveryMs: number): AppError {
    const retryAfterSeconds = Math.max(1, Math.ceil((attemptedAt + attemptEveryMs - now()) / 1000))
    return new AppError('unavailable', 'The identity provider is temporarily unavailable', { retryAfterSeconds })
  }

  async function renew(): Promise<boolean> {
    const before = current
    await refreshUnlessRecent(ATTEMPT_EVERY_MS)
    if (hasFailed) throw outage(ATTEMPT_EVERY_MS)
    return current !== before
  }

  return {
    refresh,
    renew,
    async getKey(...token) {
      if (kept() === null) await refreshUnlessRecent(ATTEMPT_WITHOUT_KEYS_EVERY_MS)
      try {
        return await find(...token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        await renew()
        return await find(...token)
      }
    },
  }
}
