import { LRUCache } from 'lru-cache'

const REMEMBERED_MAX = 10_000

/** A point in time on both clocks of this process. Clocks of different processes are never compared. */
export interface Moment {
  monotonicMs: number
  wallMs: number
}

export const thisMoment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

/** Uses the clock on which more time passed: a monotonic clock stops while the machine sleeps; a wall clock jumps. */
export function passedMs({ monotonicMs, wallMs }: Moment, now = thisMoment()): number {
  return Math.max(now.monotonicMs - monotonicMs, Math.abs(now.wallMs - wallMs))
}

/** When a response was requested, and how long its sender lets it be reused (`AnswerLife`). */
export interface Life {
  /** A time before the request was sent. The response may miss later changes. */
  askedAt: Moment
  usableMs: number
}

/** Responses that are reused for a short time (ADR 0022). */
export interface RememberedAnswers<T> {
  /** Returns the response if it may be used now. Call this for each use. */
  find(question: string): T | undefined
  remember(question: string, answer: T, life: Life): void
  forget(question: string): void
}

export interface RememberedAnswersOptions {
  /** Limit of this process, in addition to the limit of each response. 0 disables reuse. */
  mostMs: number
  now?: () => Moment
}

export function createRememberedAnswers<T>({
  mostMs,
  now = thisMoment,
}: RememberedAnswersOptions): RememberedAnswers<T> {
  const answers = new LRUCache<string, { answer: T; life: Life }>({ max: REMEMBERED_MAX })

  const isUsable = ({ askedAt, usableMs }: Life) => passedMs(askedAt, now()) < Math.min(usableMs, mostMs)

  return {
    find(question) {
      const known = answers.get(question)
      if (known === undefined) return undefined
      if (isUsable(known.life)) return known.answer
      answers.delete(question)
      return undefined
    },
    remember(question, answer, life) {
      if (isUsable(life)) answers.set(question, { answer, life })
    },
    forget: (question) => void answers.delete(question),
  }
}
