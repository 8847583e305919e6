import type { Random } from '@tideport/testing/with-seed'
import { type AnswerLife, type AnswerLifeOptions, createAnswerLife } from '../src/process/answer-life.ts'
import {
  createRememberedAnswers,
  type Moment,
  type RememberedAnswers,
  type RememberedAnswersOptions,
} from '../src/process/remembered-answers.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** The protocol of ADR 0022. Each test breaks one part of it. */
export interface Protocol {
  createLife(options: AnswerLifeOptions): AnswerLife
  createMemory(options: Required<RememberedAnswersOptions>): RememberedAnswers<'good'>
  /** Resolves when the response to a revocation may be sent. */
  revoke(process: { commit: () => Promise<boolean>; life: AnswerLife }): Promise<void>
}

export const protocol: Protocol = {
  createLife: createAnswerLife,
  createMemory: createRememberedAnswers,
  async revoke({ commit, life }) {
    await commit()
    await life.untilUnused()
  },
}

/** Clock rates at the limits that Linux allows. */
const RATES = [0.8995, 1, 1.1005]
const MOST_MS = 1000
const LASTS_MS = 6000

/** Simulates one history of a key. Returns the accepted requests that began too late. */
export async function simulate(random: Random, protocol: Protocol): Promise<string[]> {
  const world = createWorld(random, protocol)
  const { timeline, gateways, below, pick, delay, key } = world
  for (let i = 0; i < 15; i++) timeline.at(below(LASTS_MS), () => request(world, pick(gateways)))
  if (key.endsAt < LASTS_MS) {
    for (const gateway of gateways) timeline.at(key.endsAt + below(3), () => request(world, gateway))
  }
  const firstAt = below(LASTS_MS / 2)
  for (const sentAt of [firstAt, firstAt + delay()]) timeline.at(sentAt, () => void sendRevocation(world, protocol))
  await timeline.run()
  return world.late
}

type World = ReturnType<typeof createWorld>

function createWorld(random: Random, { createLife, createMemory }: Protocol) {
  const timeline = createTimeline()
  const below = (ms: number) => random() * ms
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const start = () => {
    const from = below(LASTS_MS)
    const until = from + pick([0, 0, below(3000)])
    return startProcess(timeline, { rate: pick(RATES), from, until, isAsleep: pick([true, false]) })
  }
  const auths = Array.from({ length: 2 }, () => {
    const own = start()
    const wait = (ms: number) => new Promise<void>((done) => own.after(Math.max(ms, 1), done))
    return { ...own, life: createLife({ mostMs: MOST_MS, monotonicNow: () => own.now().monotonicMs, wait }) }
  })
  const gateways = Array.from({ length: 2 }, () => {
    const own = start()
    // Sometimes misconfigured: longer than auth waits.
    return { ...own, memory: createMemory({ mostMs: pick([MOST_MS, 3 * MOST_MS]), now: own.now }) }
  })
  return {
    timeline,
    auths,
    gateways,
    below,
    pick,
    /** Delay of a message, a statement, or a busy process. */
    delay: () => below(pick([2, 2, 50, 300, 2500])),
    databaseRate: pick(RATES),
    key: { revokedAt: Number.POSITIVE_INFINITY, endsAt: pick([Number.POSITIVE_INFINITY, below(LASTS_MS)]) },
    /** When the first response to a revocation arrived. */
    answeredAt: Number.POSITIVE_INFINITY,
    late: [] as string[],
  }
}

/** A request that begins now. */
function request(world: World, gateway: World['gateways'][number]): void {
  const { timeline, delay, key } = world
  const begunAt = timeline.now()
  const succeed = (how: string) => {
    const { answeredAt, late } = world
    if (begunAt >= answeredAt) late.push(`${how}, ${begunAt - answeredAt} ms after the revocation was answered`)
    if (begunAt >= key.endsAt) late.push(`${how}, ${begunAt - key.endsAt} ms after the end`)
  }
  gateway.run(() => {
    if (gateway.memory.find('key') !== undefined) return succeed('remembered')
    const askedAt = gateway.now()
    const auth = world.pick(world.auths)
    const read = () => {
      const leftMs = key.endsAt - timeline.now()
      if (key.revokedAt <= timeline.now() || leftMs <= 0) return
      const usableMs = auth.life.usableMs(leftMs === Number.POSITIVE_INFINITY ? null : leftMs * world.databaseRate)
      const receive = () => {
        gateway.memory.remember('key', 'good', { askedAt, usableMs })
        succeed('asked')
      }
      timeline.later(delay(), () => gateway.run(receive))
    }
    timeline.later(delay(), () => auth.run(() => timeline.later(delay(), read)))
  })
}

async function sendRevocation(world: World, { revoke }: Protocol): Promise<void> {
  const { timeline, gateways, below, delay, key } = world
  const auth = world.pick(world.auths)
  const commit = () =>
    new Promise<boolean>((done) => {
      for (const gateway of gateways) timeline.later(delay(), () => request(world, gateway))
      timeline.later(delay(), () => {
        const isFirst = key.revokedAt === Number.POSITIVE_INFINITY
        if (isFirst) key.revokedAt = timeline.now()
        auth.run(() => done(isFirst))
      })
    })
  await revoke({ commit, life: auth.life })
  timeline.later(below(5), () => {
    world.answeredAt = Math.min(world.answeredAt, timeline.now())
    for (const gateway of gateways) {
      request(world, gateway)
      timeline.later(below(100), () => request(world, gateway))
    }
  })
}

interface ProcessOptions {
  /** Rate of its clocks. */
  rate: number
  /** The process is stopped between `from` and `until`. */
  from: number
  until: number
  /** The machine sleeps, so its monotonic clock stops. Otherwise only the process is stopped. */
  isAsleep: boolean
}

function startProcess({ now: trueNow, at, later }: Timeline, { rate, from, until, isAsleep }: ProcessOptions) {
  const sleptMs = () => (isAsleep ? Math.max(0, Math.min(trueNow(), until) - from) : 0)
  const now = (): Moment => ({ monotonicMs: (trueNow() - sleptMs()) * rate, wallMs: trueNow() * rate })
  const run = (work: () => void) => (trueNow() >= from && trueNow() < until ? at(until, work) : work())
  return { now, run, after: (ms: number, work: () => void) => later(ms / rate, () => run(work)) }
}
