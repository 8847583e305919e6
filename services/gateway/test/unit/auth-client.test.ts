import { postgresWaitHeader, postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { Heartbeat, WaitBudget } from '@tideport/service-kit/context/wait-budget'
import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createAuthClient } from '../../src/identity/auth-client.ts'
import type { Backend } from '../../src/upstream/upstream.ts'

const body = Buffer.from(JSON.stringify({ accountId: crypto.randomUUID() }))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An auth process that responds when `delay` resolves, or never without `delay`. */
function process(delay?: () => Promise<unknown>) {
  const waits: number[] = []
  const dispatch = ({ headers }: Dispatcher.DispatchOptions, handler: Required<Dispatcher.DispatchHandler>) => {
    waits.push(Number((headers as Record<string, string>)[postgresWaitHeader]))
    const controller = { abort: (error: Error) => handler.onResponseError(controller, error) } as never
    handler.onRequestStart(controller, {})
    void delay?.().then(() => {
      handler.onResponseStart(controller, 200, {})
      handler.onResponseData(controller, body)
      handler.onResponseEnd(controller, {})
    })
  }
  const quick = { pool: { dispatch }, places: { take: () => () => {} } }
  return { waits, backend: { lanes: { quick }, heartbeat: new Heartbeat(), observe: () => {} } as unknown as Backend }
}

const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** One lookup, sent to the first of these processes that responds, and the wait budget that remains. */
function ask(...inTurn: { backend: Backend }[]) {
  const upstream = { inTurn: () => inTurn.map(({ backend }) => backend) }
  const auth = createAuthClient({ upstream: upstream as never, sign: () => '' })
  const budget = new WaitBudget(postgresWaitMs)
  const outcome = withWaitBudget(budget, () => auth.findAccount(undefined)).then(
    () => 'answered',
    (error: { code: string }) => error.code,
  )
  return { budget, outcome }
}

it('waits without a limit for an auth process that responds to other requests', async () => {
  let turn: Promise<unknown> = Promise.resolve()
  const auth = process(() => (turn = turn.then(() => after(300))))
  const asked = Array.from({ length: 8 }, () => ask(auth))
  await vi.advanceTimersByTimeAsync(8 * 300)
  expect(await Promise.all(asked.map(({ outcome }) => outcome))).toEqual(asked.map(() => 'answered'))
  for (const { budget } of asked) expect(budget.leftMs).toBeGreaterThan(0)
})

it('waits no longer for an unresponsive process because another one responds', async () => {
  const [hanging, other] = [process(), process(() => after(50))]
  const { outcome } = ask(hanging, other)
  for (let asked = 0; asked < 36; asked++) {
    const answered = ask(other)
    await vi.advanceTimersByTimeAsync(50)
    expect(await answered.outcome).toBe('answered')
  }
  expect([await outcome, hanging.waits.length, other.waits.length]).toEqual(['unavailable', 1, 36])
})

it('returns 503 when auth has used up the wait budget without a response, and does not retry', async () => {
  const auth = process()
  const { budget, outcome } = ask(auth, auth)
  await vi.advanceTimersByTimeAsync(1800)
  expect([await outcome, auth.waits.length, budget.leftMs]).toEqual(['unavailable', 1, 0])
})
