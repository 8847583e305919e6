import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { isIn, type Network, parseAddress, readNetworks } from '@tideport/service-kit/http/ip-address'
import { createRememberedAnswers, type Life } from '@tideport/service-kit/process/remembered-answers'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { isRefusal, withoutReason } from './unauthenticated.ts'

/** What auth knows of a valid key. */
export interface KeyAnswer {
  principal: AccountPrincipal
  /** Addresses and networks that the key may be used from; null: any. */
  addresses: string[] | null
  life: Life
}

export type Remembered<T> = T & { networks: readonly Network[] | null }

/** Finds a key by `name` with `ask`, unless a recent answer is cached. */
type KeyAnswers<T> = (name: string, ask: () => Promise<T>) => Promise<Remembered<T>>

export type CountKeyAnswer = Record<'asked' | 'remembered', () => void>

export function countKeyAnswers(metrics: Metrics): CountKeyAnswer {
  const count = metrics.counter({
    name: 'tideport_key_answers_total',
    help: 'Requests with an API key by how the key was checked: asked (lookup in auth) or remembered (cache)',
    labelNames: ['source'],
  })
  const [asked, remembered] = [count.labels('asked'), count.labels('remembered')]
  for (const source of [asked, remembered]) source.inc(0)
  return { asked: () => asked.inc(), remembered: () => remembered.inc() }
}

interface KeyAnswersOptions {
  /** Longest time that a lookup is cached; 0 disables the cache. */
  keyAnswerSeconds: number
  count: CountKeyAnswer
}

/** Caches only valid keys, and only as long as a revocation waits (ADR 0022). */
export function createKeyAnswers<T extends KeyAnswer>({ keyAnswerSeconds, count }: KeyAnswersOptions): KeyAnswers<T> {
  const answers = createRememberedAnswers<Remembered<T>>({ mostMs: keyAnswerSeconds * 1000 })

  return async (name, ask) => {
    const known = answers.find(name)
    if (known !== undefined) {
      count.remembered()
      return known
    }
    count.asked()
    try {
      const found = await ask()
      const answer = { ...found, networks: found.addresses && readNetworks(found.addresses) }
      answers.remember(name, answer, found.life)
      return answer
    } catch (error) {
      if (isRefusal(error)) answers.forget(name)
      // A revoked or expired key gets its own error code, which only a client that has the key can see.
      throw withoutReason(error)
    }
  }
}

export function assertUsableFrom(clientAddress: string, networks: readonly Network[] | null): void {
  if (networks === null) return
  const address = parseAddress(clientAddress)
  if (address === null || !isIn(address, networks)) {
    throw outsideLimits('The API key may not be used from this address', { limit: 'addresses' })
  }
}
