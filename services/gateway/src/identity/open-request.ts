import { setTimeout as delay } from 'node:timers/promises'
import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { inContext, type RequestContext } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { isRefusal } from './unauthenticated.ts'

const RETRY_EVERY_MS = 250
/** A request that is faster than this needs no second check, even if the first one is out of date. */
const QUICK_MS = 250

/** A credential with requests in progress. */
export interface WatchedCredential {
  /** Whether the last successful check is still recent enough. */
  isCurrent(): boolean
  /** Throws 401 when the credential is no longer valid, 503 when that cannot be checked. */
  check(): Promise<void>
  leave(request: OpenRequest): void
}

export interface AdmittedRequest {
  context: RequestContext
  /** In milliseconds of `performance.now()`. */
  admittedAt: number
}

/** Continues only while its credential is valid; no response begins before `confirm` (ADR 0022). */
export class OpenRequest implements Disposable {
  #credential: WatchedCredential | null
  readonly #context: RequestContext
  readonly #quickUntil: number
  #end: ((error: Error) => void) | undefined
  #failure: Error | undefined

  /** A credential of null never becomes invalid. */
  constructor(credential: WatchedCredential | null, { context, admittedAt }: AdmittedRequest) {
    this.#credential = credential
    this.#context = context
    this.#quickUntil = admittedAt + QUICK_MS
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  isCurrent(): boolean {
    if (this.#failure !== undefined) return false
    return this.#credential === null || this.#credential.isCurrent() || performance.now() < this.#quickUntil
  }

  /** Throws 401 when the credential is no longer valid, 503 when that cannot be checked for `patienceMs`. */
  async confirm(patienceMs = 0): Promise<void> {
    const patientUntil = performance.now() + patienceMs
    while (!this.isCurrent()) {
      if (this.#failure !== undefined) throw this.#failure
      try {
        await this.#check()
        // Another check may have aborted the request in the meantime.
        if (this.#failure === undefined) return
      } catch (error) {
        if (isRefusal(error) || performance.now() >= patientUntil) this.#failure ??= error as Error
        else await delay(RETRY_EVERY_MS)
      }
    }
  }

  async #check(): Promise<void> {
    const context = { ...this.#context, waitBudget: new WaitBudget(postgresWaitMs) }
    await inContext(context, async () => await this.#credential?.check())
  }

  /** Rejects as soon as the credential is no longer valid. */
  async during<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.onEnd(reject)
    return await Promise.race([work, promise])
  }

  onEnd(end: (error: Error) => void): void {
    this.#end = end
    if (this.#failure !== undefined) end(this.#failure)
  }

  end(error: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = error
    this.#end?.(error)
  }

  /** From now on, the request continues even if its credential becomes invalid. */
  leave(): void {
    this.#credential?.leave(this)
    this.#credential = null
    this.#end = undefined
  }

  [Symbol.dispose](): void {
    this.leave()
  }
}
