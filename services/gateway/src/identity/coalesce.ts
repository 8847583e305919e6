export interface Exchange<T> {
  answer: Promise<T>
  /** Rejects `answer` if it is still pending. */
  abandon(): void
}

/** Sends a request that may wait this many milliseconds for Postgres. */
export type Send<T> = (waitMs: number) => Exchange<T>

export type Coalesce<T> = (key: string, waitMs: number, send: Send<T>) => Exchange<T>

/** Simultaneous callers share one request. No caller joins a request that was already sent (ADR 0022). */
export function createCoalescer<T>(): Coalesce<T> {
  const gatherings = new Map<string, () => Question<T>>()

  function gatheringOf(key: string): () => Question<T> {
    const known = gatherings.get(key)
    if (known !== undefined) return known
    const gathering = gather<Question<T>>({
      open: createQuestion,
      send: (question) => question.send(),
      onIdle: () => gatherings.delete(key),
    })
    gatherings.set(key, gathering)
    return gathering
  }

  return (key, waitMs, send) => gatheringOf(key)().ask(waitMs, send)
}

interface Question<T> {
  /** Must not be called after `send()`. The first caller's `send` is used. */
  ask(waitMs: number, send: Send<T>): Exchange<T>
  /** Resolves after a response or a failure. Sends nothing if all callers have left. */
  send(): Promise<void>
}

function createQuestion<T>(): Question<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let exchange: Exchange<T> | undefined
  let sendFirst: Send<T> | undefined
  let longestMs = 0
  let waiting = 0
  return {
    ask(waitMs, send) {
      sendFirst ??= send
      longestMs = Math.max(longestMs, waitMs)
      waiting += 1
      const own = Promise.withResolvers<T>()
      promise.then(own.resolve, own.reject)
      const abandon = () => {
        own.reject(new Error('No response in time'))
        waiting -= 1
        if (waiting === 0) exchange?.abandon()
      }
      return { answer: own.promise, abandon }
    },
    async send() {
      if (sendFirst === undefined || waiting === 0) return
      try {
        exchange = sendFirst(longestMs)
        resolve(await exchange.answer)
      } catch (error) {
        reject(error)
      }
    },
  }
}

/** Longest time that a batch stays open while the previous one is in progress. */
const OPEN_MS = 5

interface GatherOptions<B> {
  open(): B
  /** Must not reject. */
  send(batch: B): Promise<void>
  /** Called when no batch is open or in progress. */
  onIdle?(): void
}

/**
 * Requests of one event-loop turn form a batch. While one is in progress, the next stays open for up to `OPEN_MS`.
 * The caller adds to the returned batch synchronously, so no request joins a batch that was already sent.
 */
export function gather<B>({ open, send, onIdle }: GatherOptions<B>): () => B {
  let underWay = 0
  let gathered: B | undefined
  let timer: NodeJS.Timeout | undefined

  async function sendGathered(): Promise<void> {
    if (gathered === undefined) return
    const batch = gathered
    gathered = undefined
    clearTimeout(timer)
    underWay += 1
    await send(batch)
    underWay -= 1
    if (gathered !== undefined) void sendGathered()
    else if (underWay === 0) onIdle?.()
  }

  return () => {
    if (gathered === undefined) {
      gathered = open()
      if (underWay === 0) setImmediate(sendGathered)
      else timer = setTimeout(sendGathered, OPEN_MS)
    }
    return gathered
  }
}
