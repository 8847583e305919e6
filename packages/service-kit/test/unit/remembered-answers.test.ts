import { withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { createAnswerLife } from '../../src/process/answer-life.ts'
import { createRememberedAnswers, type Moment } from '../../src/process/remembered-answers.ts'
import { type Protocol, protocol, simulate } from '../simulated-answers.ts'

const HISTORIES = 300
/** At least one of these histories shows a fault. Most faults show within ten. */
const BROKEN_HISTORIES = 5000

/** The late requests of the first history that has any. */
function lateIn(histories: number, broken: Partial<Protocol>): Promise<string[]> {
  return withSeed(async (random) => {
    for (let history = 0; history < histories; history++) {
      const late = await simulate(random, { ...protocol, ...broken })
      if (late.length > 0) return late
    }
    return []
  })
}

describe('gateways and auth processes with delayed messages, different clocks, and pauses', () => {
  it('accept no request that begins after the response to a revocation, or after the expiry', async () => {
    expect(await lateIn(HISTORIES, {})).toEqual([])
  })

  const mutants: [fault: string, broken: Partial<Protocol>][] = [
    ['a revocation does not wait', { createLife: (given) => ({ ...createAnswerLife(given), untilUnused }) }],
    ['a revocation waits no margin for different clock rates', { createLife: waitNoMargin }],
    [
      'a revocation waits before its commit',
      { revoke: ({ commit, life }) => life.untilUnused().then(() => void commit()) },
    ],
    [
      'a repeated revocation gets its response at once',
      { revoke: async (own) => void ((await own.commit()) && (await waitIn(own))) },
    ],
    [
      'auth does not report the expiry',
      { createLife: (given) => ({ ...createAnswerLife(given), usableMs: () => given.mostMs }) },
    ],
    ['time counts from the arrival of the response', { createMemory: countFromArrival }],
    ['time counts only by the clock that stops while the machine sleeps', { createMemory: trustMonotonicClock }],
    ['gateways use only their own setting', { createMemory: believeOwnSetting }],
  ]
  it.each(mutants)('accept a late request if %s', async (_fault, broken) => {
    expect(await lateIn(BROKEN_HISTORIES, broken)).not.toEqual([])
  })
})

const untilUnused = async () => {}
const waitIn = ({ life }: Parameters<Protocol['revoke']>[0]) => life.untilUnused()

function waitNoMargin(given: Parameters<Protocol['createLife']>[0]) {
  const { untilUnused } = createAnswerLife({ ...given, mostMs: given.mostMs / 1.25 })
  return { ...createAnswerLife(given), untilUnused }
}

const countFromArrival: Protocol['createMemory'] = (given) => {
  const memory = createRememberedAnswers<'good'>(given)
  return { ...memory, remember: (key, answer, life) => memory.remember(key, answer, { ...life, askedAt: given.now() }) }
}

const trustMonotonicClock: Protocol['createMemory'] = (given) =>
  createRememberedAnswers({ ...given, now: () => ({ ...given.now(), wallMs: 0 }) })

const believeOwnSetting: Protocol['createMemory'] = (given) => {
  const memory = createRememberedAnswers<'good'>(given)
  const usableMs = given.mostMs
  return { ...memory, remember: (key, answer, { askedAt }) => memory.remember(key, answer, { askedAt, usableMs }) }
}

it('a response is removed with `forget`, or when more than 10,000 newer ones exist', () => {
  const now = (): Moment => ({ monotonicMs: 0, wallMs: 0 })
  const memory = createRememberedAnswers<string>({ mostMs: 1000, now })
  const asked = { askedAt: now(), usableMs: 1000 }
  memory.remember('refused', 'good', asked)
  memory.forget('refused')
  expect(memory.find('refused')).toBeUndefined()
  for (let i = 0; i <= 10_000; i++) memory.remember(`key ${i}`, 'good', asked)
  expect([memory.find('key 0'), memory.find('key 10000')]).toEqual([undefined, 'good'])
})

it('a response with an expiry expires in every cache, even with the slowest clock', () => {
  const life = createAnswerLife({ mostMs: 1000 })
  expect([null, 1250, 1249, 10, 1, 0].map(life.usableMs)).toEqual([1000, 1000, 999, 8, 0, 0])
})
