import type { Metrics } from '../telemetry/metrics.ts'
import { AppError } from './app-error.ts'

const RETRY_AFTER_SECONDS = 5

export interface Slots {
  readonly taken: number
  /** Returns a function that releases the slot. Throws `unavailable` when all slots are taken. */
  take(): () => void
}

/** `refusal` is the message for clients when no slot is left. */
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

export function showSlots(
  metrics: Metrics,
  name: string,
  { slots, busy }: { slots: number; busy: () => number },
): void {
  metrics.show(`tideport_${name}_slots`, 'Files that this process can process at once', () => slots)
  metrics.show(`tideport_${name}_slots_busy`, 'Files that this process is processing', busy)
  metrics.show(`tideport_${name}_slots_busy_ratio`, 'Share of busy slots of this process, 0 to 1', () => busy() / slots)
}
