/** How much longer one request may wait for Postgres, counting its waits here and in the processes that it calls. */
export class WaitBudget {
  #leftMs: number

  constructor(milliseconds: number) {
    this.#leftMs = milliseconds
  }

  /** Whole milliseconds, never below 0. Rounded down, because timers fire up to 1 ms early. */
  get leftMs(): number {
    return Math.max(0, Math.floor(this.#leftMs))
  }

  /** Deducts the duration of a wait, even a failed one. The caller must stop the wait when no time is left. */
  async spend<T>(wait: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await wait()
    } finally {
      this.#leftMs -= performance.now() - startedAt
    }
  }

  /**
   * Deducts only silence: the time since the last beat or the start. Calls `giveUp` once when the silence exceeds the
   * budget and `marginMs`; `waiting` must then settle.
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

/** The last time at which a service that many callers wait for responded to any of them. */
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
