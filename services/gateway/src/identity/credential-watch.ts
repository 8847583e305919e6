import { recheckedKeysMax } from '@tideport/contracts/internal/api'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Life, passedMs } from '@tideport/service-kit/process/remembered-answers'
import type { AuthClient, RecheckedKey } from './auth-client.ts'
import type { Credential } from './caller.ts'
import { type AdmittedRequest, OpenRequest, type WatchedCredential } from './open-request.ts'
import { isRefusal, unauthenticated, withoutReason } from './unauthenticated.ts'

const CHECK_EVERY_MS = 250
/** Open requests of a key end within this time after the key becomes invalid, plus the time that auth takes. */
const NOTICED_WITHIN_MS = 1000

interface CredentialWatchOptions {
  auth: Pick<AuthClient, 'verifyApiKey' | 'recheckApiKeys'>
  keyAnswerSeconds: number
}

export interface CredentialWatch extends Disposable {
  /** Dispose of the result when the request is complete. A credential of null never becomes invalid. */
  enter(request: AdmittedRequest & { credential: Credential | null }): OpenRequest
}

interface WatchedKey extends WatchedCredential {
  readonly digest: string
  readonly requests: Set<OpenRequest>
  life: Life
  isChecking: boolean
}

/** Checks all keys with open requests in one request to auth, each about once a second (ADR 0022). */
export function createCredentialWatch({ auth, keyAnswerSeconds }: CredentialWatchOptions): CredentialWatch {
  const keys = new Map<string, WatchedKey>()
  const logins = new Map<OpenRequest, number>()
  // Without a cache, each response would need its own check.
  const mostMs = keyAnswerSeconds * 1000 || NOTICED_WITHIN_MS
  const leftMs = ({ askedAt, usableMs }: Life) => Math.min(usableMs || NOTICED_WITHIN_MS, mostMs) - passedMs(askedAt)
  const isDue = ({ life, isChecking }: WatchedKey) =>
    !isChecking && Math.min(leftMs(life), NOTICED_WITHIN_MS - passedMs(life.askedAt)) <= CHECK_EVERY_MS

  function keyOf(digest: string, life: Life): WatchedKey {
    const known = keys.get(digest)
    if (known !== undefined) {
      renew(known, life)
      return known
    }
    const key: WatchedKey = {
      ...{ digest, life, requests: new Set(), isChecking: false },
      isCurrent: () => leftMs(key.life) > 0,
      check: () => check(key),
      leave(request) {
        key.requests.delete(request)
        if (key.requests.size === 0 && keys.get(digest) === key) keys.delete(digest)
      },
    }
    keys.set(digest, key)
    return key
  }

  function renew(key: WatchedKey, life: Life): void {
    if (life.askedAt.monotonicMs > key.life.askedAt.monotonicMs) key.life = life
  }

  function endKey(key: WatchedKey, error: Error): void {
    if (keys.get(key.digest) === key) keys.delete(key.digest)
    for (const request of key.requests) request.end(error)
  }

  async function check(key: WatchedKey): Promise<void> {
    try {
      renew(key, (await auth.verifyApiKey(key.digest)).life)
    } catch (error) {
      const known = withoutReason(error)
      if (isRefusal(known)) endKey(key, known as Error)
      throw known
    }
  }

  async function recheck(batch: readonly WatchedKey[]): Promise<void> {
    for (const key of batch) key.isChecking = true
    try {
      const { keys: answers, askedAt } = await auth.recheckApiKeys(batch.map(({ digest }) => digest))
      for (const [index, key] of batch.entries()) settle(key, answers[index], askedAt)
    } catch {
      // The keys soon stop being current, so each response to their requests then waits for its own check.
    } finally {
      for (const key of batch) key.isChecking = false
    }
  }

  function settle(key: WatchedKey, answer: RecheckedKey | undefined, askedAt: Life['askedAt']): void {
    if (answer?.refusal !== undefined) {
      const { code, error } = answer.refusal
      endKey(key, withoutReason(new AppError(code, error)) as Error)
    } else if (answer !== undefined) renew(key, { askedAt, usableMs: answer.usableMs })
  }

  function checkAll(): void {
    for (const [request, endsAtMs] of logins) if (Date.now() >= endsAtMs) request.end(unauthenticated())
    const due = [...keys.values()].filter(isDue)
    // Not awaited: an unresponsive auth must not delay the checks of login tokens.
    while (due.length > 0) void recheck(due.splice(0, recheckedKeysMax))
  }

  function watchLogin(endsAtMs: number, admitted: AdmittedRequest): OpenRequest {
    const isCurrent = () => Date.now() < endsAtMs
    const check = async () => {
      if (!isCurrent()) throw unauthenticated()
    }
    const request = new OpenRequest({ isCurrent, check, leave: (left) => logins.delete(left) }, admitted)
    logins.set(request, endsAtMs)
    return request
  }

  // Runs until the process exits: requests continue during shutdown.
  const timer = setInterval(checkAll, CHECK_EVERY_MS)
  return {
    enter(admitted) {
      const { credential } = admitted
      if (credential === null) return new OpenRequest(null, admitted)
      if ('endsAtMs' in credential) return watchLogin(credential.endsAtMs, admitted)
      const key = keyOf(credential.digest, credential.life)
      const request = new OpenRequest(key, admitted)
      key.requests.add(request)
      return request
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
