import { hungError } from './connection-failure.ts'

/** A process is probed when a request waits and no response has arrived for this long. */
const SILENCE_MS = 1500
/** With this limit, waiting requests fail within the documented 5 s (docs/operate/troubleshoot.md). */
const PROBE_MS = 2000
const PAUSE_MS = 500

/** `gone`: the connection was refused or broke, so requests fail without `giveUp`. `silent`: no response. */
export type Probed = 'answers' | 'gone' | 'silent'

/** Without `giveUp`, the request waits without a limit. */
export interface Waiting {
  since: number
  giveUp: ((error: Error) => void) | undefined
}

export interface Liveness extends Disposable {
  readonly isHung: boolean
  /** Calls `giveUp` if the process becomes unresponsive, until `answered` or `left` is called. */
  wait(giveUp?: (error: Error) => void): Waiting
  /** The process has begun to respond. */
  answered(waiting: Waiting): void
  left(waiting: Waiting): void
  check(): Promise<Probed>
}

interface LivenessOptions {
  /** Requests a resource without dependencies. `silent` if no response begins before the signal aborts. */
  probe(signal: AbortSignal): Promise<Probed>
  onSilence(): void
  onChange(isHung: boolean): void
}

/** Unresponsive after 1.5 s of silence and a probe without a response in 2 s; probed again until it responds. */
export function createLiveness({ probe, onSilence, onChange }: LivenessOptions): Liveness {
  const waiting = new Set<Waiting>()
  const stop = new AbortController()
  let isHung = false
  let heardAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<Probed> | undefined

  function listen(): void {
    const [longest] = waiting
    if (longest === undefined || isHung || timer !== undefined || checking !== undefined) return
    const silentMs = performance.now() - Math.max(longest.since, heardAt)
    timer = setTimeout(onTime, Math.max(0, SILENCE_MS - silentMs))
  }

  function onTime(): void {
    timer = undefined
    const [longest] = waiting
    if (longest !== undefined && performance.now() - Math.max(longest.since, heardAt) >= SILENCE_MS) onSilence()
    else listen()
  }

  function note(probed: Probed): void {
    const wasHung = isHung
    isHung = probed === 'silent'
    if (isHung !== wasHung) onChange(isHung)
    if (isHung) {
      for (const { giveUp } of waiting) giveUp?.(hungError())
      clearTimeout(timer)
      timer = setTimeout(askAgain, PAUSE_MS)
    } else {
      heardAt = performance.now()
      listen()
    }
  }

  function askAgain(): void {
    timer = undefined
    void liveness.check()
  }

  async function ask(): Promise<Probed> {
    const askedAt = performance.now()
    const late = new AbortController()
    // In a separate turn: if this process was blocked, a response that has already arrived is read first.
    const limit = setTimeout(() => setImmediate(() => late.abort()), PROBE_MS)
    const probed = await probe(AbortSignal.any([stop.signal, late.signal]))
    clearTimeout(limit)
    checking = undefined
    // A response to another request in the meantime also shows that the process is responsive.
    const isHeard = probed !== 'silent' || heardAt > askedAt
    if (!stop.signal.aborted) note(isHeard ? probed : 'silent')
    return probed
  }

  const liveness: Liveness = {
    get isHung() {
      return isHung
    },
    wait(giveUp) {
      const own = { since: performance.now(), giveUp }
      waiting.add(own)
      listen()
      return own
    },
    answered(own) {
      heardAt = performance.now()
      waiting.delete(own)
    },
    left: (own) => void waiting.delete(own),
    check() {
      checking ??= ask()
      return checking
    },
    [Symbol.dispose]() {
      stop.abort()
      clearTimeout(timer)
    },
  }
  return liveness
}
