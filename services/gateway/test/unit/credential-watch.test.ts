import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { thisMoment } from '@tideport/service-kit/process/remembered-answers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createCredentialWatch } from '../../src/identity/credential-watch.ts'

const USABLE_MS = 1000
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watch, and an auth that knows which keys are revoked. */
function setup() {
  const revoked = new Set<string>()
  const rechecks: string[][] = []
  let isAway = false
  const refusal = { code: 'api_key_revoked', error: 'The API key has been revoked' } as const
  const auth = {
    async recheckApiKeys(digests: string[]) {
      const askedAt = thisMoment()
      rechecks.push(digests)
      if (isAway) throw unavailable()
      return {
        askedAt,
        keys: digests.map((digest) => ({ usableMs: USABLE_MS, ...(revoked.has(digest) && { refusal }) })),
      }
    },
    async verifyApiKey(digest: string) {
      if (isAway) throw unavailable()
      if (revoked.has(digest)) throw new AppError(refusal.code, refusal.error)
      return { life: { askedAt: thisMoment(), usableMs: USABLE_MS } } as never
    },
  }
  const watch = createCredentialWatch({ auth, keyAnswerSeconds: 1 })
  return {
    ...{ revoked, rechecks, [Symbol.dispose]: () => watch[Symbol.dispose]() },
    goAway: (away: boolean) => {
      isAway = away
    },
    enter(digest: string) {
      const credential = { digest, life: { askedAt: thisMoment(), usableMs: USABLE_MS } }
      return watch.enter({ context: {}, admittedAt: performance.now(), credential })
    },
  }
}

it('ends all requests of a revoked key within 1.25 s, and no others', async () => {
  using t = setup()
  const ended: string[] = []
  for (const name of ['a', 'a', 'b']) t.enter(name).onEnd((error) => ended.push(`${name} ${(error as AppError).code}`))
  await vi.advanceTimersByTimeAsync(5000)
  expect(ended).toEqual([])
  t.revoked.add('a')
  await vi.advanceTimersByTimeAsync(1250)
  expect(ended).toEqual(['a api_key_revoked', 'a api_key_revoked'])
})

it('checks thousands of keys in few requests, each about once a second, and no key without an open request', async () => {
  using t = setup()
  const open = Array.from({ length: 1200 }, (_, index) => [t.enter(`${index}`), t.enter(`${index}`)]).flat()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(t.rechecks.length).toBeLessThanOrEqual(14 * 3)
  for (const digests of t.rechecks) expect(digests.length).toBeLessThanOrEqual(500)
  for (const request of open) request.leave()
  const before = t.rechecks.length
  await vi.advanceTimersByTimeAsync(5000)
  expect(t.rechecks.length).toBe(before)
})

it('repeats a check that is too old, and fails while auth is unavailable', async () => {
  using t = setup()
  const [first, second, patient] = [t.enter('a'), t.enter('a'), t.enter('a')]
  t.goAway(true)
  await vi.advanceTimersByTimeAsync(USABLE_MS)
  expect(first.isCurrent()).toBe(false)
  await expect(first.confirm()).rejects.toMatchObject({ code: 'unavailable' })
  const patiently = patient.confirm(5000)
  await vi.advanceTimersByTimeAsync(2000)
  t.goAway(false)
  await vi.advanceTimersByTimeAsync(1000)
  await patiently
  await second.confirm()
  expect([first, second, patient].map((request) => request.isCurrent())).toEqual([false, true, true])
})

it('detects a revoked key with the first check of its requests', async () => {
  using t = setup()
  const [one, other] = [t.enter('a'), t.enter('a')]
  const waiting = other.during(new Promise(() => {}))
  t.goAway(true)
  await vi.advanceTimersByTimeAsync(USABLE_MS)
  t.goAway(false)
  t.revoked.add('a')
  const refused = { code: 'api_key_revoked' }
  await Promise.all([
    expect(one.confirm()).rejects.toMatchObject(refused),
    expect(waiting).rejects.toMatchObject(refused),
  ])
  expect(() =>
    other.onEnd((error) => {
      throw error
    }),
  ).toThrow('revoked')
})

it('rejects a request that ends while its key is being checked', async () => {
  using t = setup()
  const open = t.enter('a')
  t.goAway(true)
  await vi.advanceTimersByTimeAsync(5000)
  t.goAway(false)
  const confirmed = open.confirm()
  open.end(new AppError('api_key_revoked', 'The API key has been revoked'))
  await expect(confirmed).rejects.toMatchObject({ code: 'api_key_revoked' })
})
