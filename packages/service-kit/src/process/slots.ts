import { AppError } from './app-error.ts'

const RETRY_AFTER_SECONDS = 5

export interface Slots {
  readonly taken: number
  /** Returns a function that gives the place back. Throws `unavailable` when all are taken. */
  take(): () => void
}

/** As many places as `max`; `refusal` is what a client is told when there is none left. */
export function createSlots(max: number, refusal: string): Slots {
  let taken = 0
  return {
    get taken() {
      return taken
    },
    take() {
      if (taken >= max) throw new AppError('unavailable', refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS })
      taken += 1
      let isTaken = true
      return () => {
        if (isTaken) taken -= 1
        isTaken = false
      }
    },
  }
}
