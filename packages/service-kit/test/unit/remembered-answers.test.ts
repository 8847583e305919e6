import { withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { createAnswerLife } from '../../src/process/answer-life.ts'
import { createRememberedAnswers, type Moment } from '../../src/process/remembered-answers.ts'
import { type Protocol, protocol, simulate } from '../simulated-answers.ts'

const HISTORIES = 300
/** Of which one at least shows a fault; most faults show within ten. */
const BROKEN_HISTORIES = 5000

/** What was let in too late in the first history that has some. */
function lateIn(histories: number, broken: Partial<Protocol>): Promise<string[]> {
  return withSeed(async (random) => {
    for (let history = 0; history < histories; history++) {
      const late = await simulate(random, { ...protocol, ...broken })
      if (late.length > 0) return late
    }
    return []
  })
}

describe('over gateways and auths whose messages are late, whose clocks differ and who stand still', () => {
  it('no request that begins after a revocation was answered, or after the end, is let in', async () => {
    expect(await lateIn(HISTORIES, {})).toEqual([])
  })

  const mutants: [fault: string, broken: Partial<Protocol>][] = [
    ['a revocation waits for nothing', { createLife: (given) => ({ ...createAnswerLife(given), untilUnused }) }],
    ['it waits no longer than answers may be used, whatever the rates of clocks', { createLife: waitNoMargin }],
    ['it waits before its commit', { revoke: ({ commit, life }) => life.untilUnused().then(() => void commit()) }],
    [
      'a repeated one is answered at once',
      { revoke: async (own) => void ((await own.commit()) && (await waitIn(own))) },
    ],
    ['the end is not told', { createLife: (given) => ({ ...createAnswerLife(given), usableMs: () => given.mostMs }) }],
    ['time is counted from when the answer came', { createMemory: countFromArrival }],
    ['time is counted by the clock alone that stands still with the machine', { createMemory: trustMonotonicClock }],
    ['gateways believe their own setting alone', { createMemory: believeOwnSetting }],
  ]
  it.each(mutants)('some is, where %s', async (_fault, broken) => {
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

it('an answer is forgotten when it is not the last word any more, and among very many', () => {
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
