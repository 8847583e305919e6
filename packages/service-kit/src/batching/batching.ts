import { currentTrace, currentWaitBudget, inContext, type RequestContext } from '../context/request-context.ts'
import { isUnavailable } from '../postgres/database-errors.ts'

/** How many items go in one call at most. */
const ITEMS_MAX = 64

/** One call for all of the items. Returns their outcomes in the same order, or rejects and has done nothing. */
export type CallFor<Item, Outcome> = (items: readonly [Item, ...Item[]]) => Promise<readonly Outcome[]>

/** Asks for one item; those that are asked for at once under the same key go in one call. */
export type Ask<Item, Outcome> = (key: string, item: Item) => Promise<Outcome>

export interface Batching {
  /** Runs work that asks for batches and waits for other things in between. It counts as a caller until it ends. */
  asCaller<T>(work: () => Promise<T>): Promise<T>
  /**
   * Batches of one kind of call. What a call refuses of several items is asked one by one, so that each fails for itself
   * alone; when Postgres is unavailable, all that wait behind fail with it, having waited as long.
   */
  batch<Item, Outcome>(callFor: CallFor<Item, Outcome>, options: BatchOptions): Ask<Item, Outcome>
}

export interface BatchOptions {
  /** In a crowd they wait for others to join (`pauseMs`). */
  pauses: boolean
  /** Kinds of the same word go one after the other, because each is in the way of the others. */
  turn?: string | undefined
}

/**
 * How long a batch waits for others to join: until a quarter of all callers are in it, 4 ms for each that is missing,
 * 30 ms at most. Fewer than eight callers wait by no timer (`whatIsHere`): what they would save is less than what they
 * would lose.
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
  /** Called after another one joined. */
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
    /** Those that wait, for each key with a batch under way or about to go. */
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
 * Runs what answers the error that it failed with, if it did, after all others of the same turn. When Postgres was
 * unavailable to these, it has waited as long, and is not run.
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

/** Two turns of the event loop, in which all that has come is read. No timer: a turn without anything takes no time. */
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

/** Settles all of the calls. Answers the error that they failed with, if they did. */
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

/** The context of the one who may wait for Postgres longest. */
function mostPatient(calls: readonly { context: RequestContext }[]): RequestContext {
  const patience = ({ waitBudget }: RequestContext) => waitBudget?.leftMs ?? Number.POSITIVE_INFINITY
  return calls.map(({ context }) => context).reduce((most, next) => (patience(next) > patience(most) ? next : most))
}
