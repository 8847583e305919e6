import { AsyncLocalStorage } from 'node:async_hooks'

/** How much longer one request may wait for Postgres: the sum of its waits, here and in the processes it asks. */
export class Patience {
  #leftMs: number

  constructor(milliseconds: number) {
    this.#leftMs = milliseconds
  }

  /** Whole milliseconds, never below 0. The rest of one is nothing: timers end up to one early. */
  get leftMs(): number {
    return Math.max(0, Math.floor(this.#leftMs))
  }

  /** Takes the time of this wait off, however it ends. To cut the wait off when nothing is left is up to the caller. */
  async spend<T>(wait: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await wait()
    } finally {
      this.#leftMs -= performance.now() - startedAt
    }
  }
}

const current = new AsyncLocalStorage<Patience | undefined>()

/** Statements inside `work`, and inside all that it starts, wait only as long as `patience` lasts. */
export function withPatience<T>(patience: Patience, work: () => T): T {
  return current.run(patience, work)
}

/** Work that nobody waits for, though a request starts it: its statements have the limits of their pool. */
export function withoutPatience<T>(work: () => T): T {
  return current.run(undefined, work)
}

/** Of the work we are in; none outside of a request. */
export function currentPatience(): Patience | undefined {
  return current.getStore()
}
