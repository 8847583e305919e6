import { LRUCache } from 'lru-cache'

const REMEMBERED_MAX = 10_000

/** A point in time by both clocks of this process. Neither is ever compared with another process's. */
export interface Moment {
  monotonicMs: number
  wallMs: number
}

export const thisMoment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

/** By the clock on which more has passed: monotonic ones stop while a machine sleeps, others jump. */
export function passedMs({ monotonicMs, wallMs }: Moment, now = thisMoment()): number {
  return Math.max(now.monotonicMs - monotonicMs, Math.abs(now.wallMs - wallMs))
}

/** Since when an answer may be used, and for how long according to its sender (`AnswerLife`). */
export interface Life {
  /** Before the question was sent: what is changed from then on, the answer may not know. */
  askedAt: Moment
  usableMs: number
}

/** Answers that are used again for a moment (ADR 0022). */
export interface RememberedAnswers<T> {
  /** To be asked for each use: the answer, if it may be used now. */
  find(question: string): T | undefined
  remember(question: string, answer: T, life: Life): void
  forget(question: string): void
}

export interface RememberedAnswersOptions {
  /** Limit of this process, in addition to the limit of each answer; 0: nothing is remembered. */
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
