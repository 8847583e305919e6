/** How much longer one request may wait for Postgres: the sum of its waits, here and in the processes it asks. */
export class WaitBudget {
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

  /**
   * Only silence counts, since the last beat or the start. Calls `giveUp` once after the budget and `marginMs`; then
   * `waiting` has to settle.
   */
  async spendSilence<T>(waiting: Promise<T>, heartbeat: Heartbeat, giveUp: () => void, marginMs = 0): Promise<T> {
    const startedAt = performance.now()
    const silentMs = () => performance.now() - Math.max(startedAt, heartbeat.lastBeat)
    let timer: NodeJS.Timeout | undefined
    const listen = () => {
      const restMs = this.leftMs + marginMs - silentMs()
      if (restMs > 0) timer = setTimeout(listen, restMs)
      else giveUp()
    }
    listen()
    try {
      return await waiting
    } finally {
      clearTimeout(timer)
      this.#leftMs -= silentMs()
    }
  }
}

/** When somebody whom many wait for was last heard of, by any of them. */
export class Heartbeat {
  #lastBeat = Number.NEGATIVE_INFINITY

  /** In milliseconds of `performance.now()`. */
  get lastBeat(): number {
    return this.#lastBeat
  }

  beat(): void {
    this.#lastBeat = performance.now()
  }
}
