import { currentTrace, currentWaitBudget, inContext, type RequestContext } from '../context/request-context.ts'
import { isUnavailable } from './database-errors.ts'

/** One statement for items of one key. Returns their outcomes in the same order, or rejects and has written nothing. */
export type StatementFor<Item, Outcome> = (items: readonly [Item, ...Item[]]) => Promise<readonly Outcome[]>

/** How many go in one statement at most. */
const ITEMS_MAX = 64
/** How long a lingering statement waits: for each caller that it misses, and for all of them. */
const LINGER_MS = 4
const LINGER_MAX_MS = 30
/** One in so many of those who wait for lingering statements is to be in it, and of those in `comingForStatements`. */
const ONE_OF_LINGERING = 3
const ONE_OF_COMING = 4

/** Callers of this process who wait for a lingering statement. */
let lingering = 0
/** Those in `comingForStatements`. */
let coming = 0

interface Call<Item, Outcome> {
  item: Item
  context: RequestContext
  settle: PromiseWithResolvers<Outcome>
}

interface Queue {
  readonly calls: readonly unknown[]
  /** Called after another one joined. */
  onJoin?: (() => void) | undefined
}

interface QueueOf<Item, Outcome> extends Queue {
  readonly calls: Call<Item, Outcome>[]
}

export interface GatherOptions {
  /** Whether a statement waits up to 30 ms for others to join it, while many in this process want lingering ones. */
  lingers: boolean
}

/**
 * Makes one statement of many that are asked for at once: of each key one is under way, and what is asked for meanwhile
 * goes together in the next one. A lingering statement goes once it has a third of all who wait for such statements, of
 * whatever kind, and a quarter of those who are coming for one (docs/adr/0055), so one of three waits for nobody.
 * What Postgres refuses of several is asked one by one, so that each item fails for itself alone; when it is
 * unavailable, all that wait behind fail with it, having waited as long.
 */
export function gatherStatements<Item, Outcome>(
  statementFor: StatementFor<Item, Outcome>,
  { lingers }: GatherOptions,
): (key: string, item: Item) => Promise<Outcome> {
  /** Those that wait, for each key with a statement under way or about to be. */
  const queues = new Map<string, QueueOf<Item, Outcome>>()

  async function runQueue(key: string, queue: QueueOf<Item, Outcome>): Promise<void> {
    while (queue.calls.length > 0) {
      if (lingers) await linger(queue)
      const error = await run(queue.calls.splice(0, ITEMS_MAX), statementFor)
      if (isUnavailable(error)) for (const { settle } of queue.calls.splice(0)) settle.reject(error)
    }
    queues.delete(key)
  }

  async function ask(key: string, item: Item): Promise<Outcome> {
    const context = { trace: currentTrace(), waitBudget: currentWaitBudget() }
    const call = { item, context, settle: Promise.withResolvers<Outcome>() }
    const queue = queues.get(key)
    if (queue === undefined) {
      const own: QueueOf<Item, Outcome> = { calls: [call] }
      queues.set(key, own)
      void runQueue(key, own)
    } else {
      queue.calls.push(call)
      queue.onJoin?.()
    }
    return await call.settle.promise
  }

  return lingers ? (key, item) => whileLingering(() => ask(key, item)) : ask
}

/** Does work that asks for lingering statements and waits for others in between; it counts meanwhile. */
export async function comingForStatements<T>(work: () => Promise<T>): Promise<T> {
  coming += 1
  try {
    return await work()
  } finally {
    coming -= 1
  }
}

async function whileLingering<T>(ask: () => Promise<T>): Promise<T> {
  lingering += 1
  try {
    return await ask()
  } finally {
    lingering -= 1
  }
}

/** Resolves when there are as many calls as are wanted now, however many come later, or after 4 to 30 ms. */
async function linger(queue: Queue): Promise<void> {
  const enough = Math.min(ITEMS_MAX, Math.ceil(Math.max(lingering / ONE_OF_LINGERING, coming / ONE_OF_COMING)))
  const missing = enough - queue.calls.length
  if (missing <= 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.min(LINGER_MAX_MS, missing * LINGER_MS))
  queue.onJoin = () => {
    if (queue.calls.length >= enough) resolve()
  }
  await promise
  queue.onJoin = undefined
  clearTimeout(timer)
}

/** Settles all of the calls. Answers the error that they failed with, if they did. */
async function run<Item, Outcome>(
  calls: Call<Item, Outcome>[],
  statementFor: StatementFor<Item, Outcome>,
): Promise<unknown> {
  const items = calls.map(({ item }) => item) as [Item, ...Item[]]
  try {
    const outcomes = await inContext(mostPatient(calls), () => statementFor(items))
    for (const [index, { settle }] of calls.entries()) settle.resolve(outcomes[index] as Outcome)
    return undefined
  } catch (error) {
    if (calls.length > 1 && !isUnavailable(error)) {
      for (const call of calls) await run([call], statementFor)
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
