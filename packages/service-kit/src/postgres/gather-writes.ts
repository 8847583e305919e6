import { currentTrace, currentWaitBudget, inContext, type RequestContext } from '../context/request-context.ts'
import { isUnavailable } from './database-errors.ts'

/** Writes items of one key together. Returns their outcomes in the same order, or rejects and has written none. */
export type WriteAll<Item, Outcome> = (items: readonly [Item, ...Item[]]) => Promise<readonly Outcome[]>

interface Call<Item, Outcome> {
  item: Item
  context: RequestContext
  settle: PromiseWithResolvers<Outcome>
}

/**
 * For writes that would wait for each other at one row: of each key one write is under way, and what is asked for
 * meanwhile goes together in the next one, at most `itemsMax` of it. Nobody waits while there is nothing to wait for.
 * What Postgres refuses of several is written one by one, so that each item fails for itself alone; when it is
 * unavailable, all that wait behind fail with it, having waited as long.
 */
export function gatherWrites<Item, Outcome>(
  writeAll: WriteAll<Item, Outcome>,
  { itemsMax }: { itemsMax: number },
): (key: string, item: Item) => Promise<Outcome> {
  /** Those that wait, for each key with a write under way. */
  const queues = new Map<string, Call<Item, Outcome>[]>()

  async function writeQueue(key: string, queue: Call<Item, Outcome>[]): Promise<void> {
    while (queue.length > 0) {
      const error = await write(queue.splice(0, itemsMax), writeAll)
      if (isUnavailable(error)) for (const { settle } of queue.splice(0)) settle.reject(error)
    }
    queues.delete(key)
  }

  return (key, item) => {
    const context = { trace: currentTrace(), waitBudget: currentWaitBudget() }
    const call = { item, context, settle: Promise.withResolvers<Outcome>() }
    const queue = queues.get(key)
    if (queue === undefined) {
      const own = [call]
      queues.set(key, own)
      void writeQueue(key, own)
    } else {
      queue.push(call)
    }
    return call.settle.promise
  }
}

/** Settles all of the calls. Answers the error that they failed with, if they did. */
async function write<Item, Outcome>(calls: Call<Item, Outcome>[], writeAll: WriteAll<Item, Outcome>): Promise<unknown> {
  const items = calls.map(({ item }) => item) as [Item, ...Item[]]
  try {
    const outcomes = await inContext(mostPatient(calls), () => writeAll(items))
    for (const [index, { settle }] of calls.entries()) settle.resolve(outcomes[index] as Outcome)
    return undefined
  } catch (error) {
    if (calls.length > 1 && !isUnavailable(error)) {
      for (const call of calls) await write([call], writeAll)
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
