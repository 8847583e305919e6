import { currentTrace, currentWaitBudget, inContext, type RequestContext } from '../context/request-context.ts'
import { isUnavailable } from '../postgres/database-errors.ts'

/** Maximum items in one call. */
const ITEMS_MAX = 64

/** One call for all items. Returns their outcomes in the same order, or rejects without having had an effect. */
export type CallFor<Item, Outcome> = (items: readonly [Item, ...Item[]]) => Promise<readonly Outcome[]>

/** Requests one item. Concurrent requests with the same key share one call. */
export type Ask<Item, Outcome> = (key: string, item: Item) => Promise<Outcome>

export interface Batching {
  /** Runs work that uses batches and waits for other things in between. It counts as a caller until it settles. */
  asCaller<T>(work: () => Promise<T>): Promise<T>
  /**
   * Creates batches of one kind of call. If a call with several items fails, each item is retried alone, so that one
   * item does not fail the others. If Postgres is unavailable, all waiting items fail too, because they have waited as
   * long.
   */
  batch<Item, Outcome>(callFor: CallFor<Item, Outcome>, options: BatchOptions): Ask<Item, Outcome>
}

export interface BatchOptions {
  /** With many callers, a batch waits for other items to join (`pauseMs`). */
  pauses: boolean
  /** Kinds of calls with the same `turn` run one after another, because they would block each other. */
  turn?: string | undefined
}

/**
 * How long a batch waits for other items: until it has a quarter of all callers, 4 ms for each missing one, at most
 * 30 ms. With fewer than eight callers, no timer is used (`whatIsHere`), because it would cost more than it saves.
 */
export function pauseMs(joined: number, callers: number): number {
  return callers < 8 ? 0 : Math.min(30, 4 * Math.max(0, wanted(callers) - joined))
}

const wanted = (callers: number) => Math.min(ITEMS_MAX, Math.ceil(callers / 4))

interface Call<Item, Outcome> {
  item: Item
  context: RequestContext
  settle: PromiseWithResolvers<Outcome>
}

interface Queue<Item, Outcome> {
  readonly calls: Call<Item, Outcome>[]
  /** Called after another item joins. */
  onJoin?: (() => void) | undefined
}

export function createBatching(): Batching {
  const inTurn = createTurns()
  let callers = 0

  async function asCaller<T>(work: () => Promise<T>): Promise<T> {
    callers += 1
    try {
      return await work()
    } finally {
      callers -= 1
    }
  }

  function batch<Item, Outcome>(callFor: CallFor<Item, Outcome>, { pauses, turn }: BatchOptions): Ask<Item, Outcome> {
    /** Waiting calls of each key with a batch that is running or about to start. */
    const queues = new Map<string, Queue<Item, Outcome>>()

    async function runQueue(key: string, queue: Queue<Item, Outcome>): Promise<void> {
      while (queue.calls.length > 0) {
        if (pauses) await pause(queue, callers)
        const error = await inTurn(turn, () => run(queue.calls.splice(0, ITEMS_MAX), callFor))
        if (isUnavailable(error)) for (const { settle } of queue.calls.splice(0)) settle.reject(error)
      }
      queues.delete(key)
    }

    return async (key, item) => {
      const context = { trace: currentTrace(), waitBudget: currentWaitBudget() }
      const call = { item, context, settle: Promise.withResolvers<Outcome>() }
      const queue = queues.get(key)
      if (queue === undefined) {
        const own: Queue<Item, Outcome> = { calls: [call] }
        queues.set(key, own)
        void runQueue(key, own)
      } else {
        queue.calls.push(call)
        queue.onJoin?.()
      }
      return await call.settle.promise
    }
  }

  return { asCaller, batch }
}

/**
 * Runs `work`, which returns the error with which it failed (if any), after all earlier work of the same turn. If that
 * work found Postgres unavailable, `work` is not run and returns the same error, because it has waited as long.
 */
function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return async (turn: string | undefined, work: () => Promise<unknown>): Promise<unknown> => {
    if (turn === undefined) return await work()
    const before = last.get(turn)
    const own = before === undefined ? work() : before.then((error) => (isUnavailable(error) ? error : work()))
    last.set(turn, own)
    const error = await own
    if (last.get(turn) === own) last.delete(turn)
    return error
  }
}

/** Waits two turns of the event loop, which read all arrived data. Uses no timer: an idle turn takes no time. */
function whatIsHere(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(() => setImmediate(resolve))
  return promise
}

async function pause<Item, Outcome>(queue: Queue<Item, Outcome>, callers: number): Promise<void> {
  const ms = pauseMs(queue.calls.length, callers)
  if (ms === 0) return callers > queue.calls.length ? await whatIsHere() : undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  queue.onJoin = () => {
    if (queue.calls.length >= wanted(callers)) resolve()
  }
  await promise
  queue.onJoin = undefined
  clearTimeout(timer)
}

/** Settles all calls. Returns the error with which they failed, if any. */
async function run<Item, Outcome>(calls: Call<Item, Outcome>[], callFor: CallFor<Item, Outcome>): Promise<unknown> {
  const items = calls.map(({ item }) => item) as [Item, ...Item[]]
  try {
    const outcomes = await inContext(mostPatient(calls), () => callFor(items))
    for (const [index, { settle }] of calls.entries()) settle.resolve(outcomes[index] as Outcome)
    return undefined
  } catch (error) {
    if (calls.length > 1 && !isUnavailable(error)) {
      for (const call of calls) await run([call], callFor)
      return undefined
    }
    for (const { settle } of calls) settle.reject(error)
    return error
  }
}

/** The context of the call that may wait for Postgres longest. */
function mostPatient(calls: readonly { context: RequestContext }[]): RequestContext {
  const patience = ({ waitBudget }: RequestContext) => waitBudget?.leftMs ?? Number.POSITIVE_INFINITY
  return calls.map(({ context }) => context).reduce((most, next) => (patience(next) > patience(most) ? next : most))
}
