import { currentTrace, currentWaitBudget, inContext, type RequestContext } from '../context/request-context.ts'
import { isUnavailable } from './database-errors.ts'

/** One statement for items of one key. Returns their outcomes in the same order, or rejects and has written nothing. */
export type StatementFor<Item, Outcome> = (items: readonly [Item, ...Item[]]) => Promise<readonly Outcome[]>

interface Call<Item, Outcome> {
  item: Item
  context: RequestContext
  settle: PromiseWithResolvers<Outcome>
}

/**
 * Makes one statement of many that are asked for at once: of each key one is under way, and what is asked for meanwhile
 * goes together in the next one, at most `itemsMax` of it. Nobody waits while there is nothing to wait for. What
 * Postgres refuses of several is asked one by one, so that each item fails for itself alone; when it is unavailable,
 * all that wait behind fail with it, having waited as long.
 */
export function gatherStatements<Item, Outcome>(
  statementFor: StatementFor<Item, Outcome>,
  { itemsMax }: { itemsMax: number },
): (key: string, item: Item) => Promise<Outcome> {
  /** Those that wait, for each key with a statement under way. */
  const queues = new Map<string, Call<Item, Outcome>[]>()

  async function runQueue(key: string, queue: Call<Item, Outcome>[]): Promise<void> {
    while (queue.length > 0) {
      const error = await run(queue.splice(0, itemsMax), statementFor)
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
      void runQueue(key, own)
    } else {
      queue.push(call)
    }
    return call.settle.promise
  }
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
