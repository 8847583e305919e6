import { sql } from 'kysely'

/** The error of a delivery that was pending when its webhook was disabled. */
export const skippedError = 'Skipped because the webhook was switched off'

/** Makes deliveries of a lower `activation` void. A periodic task marks them as skipped (`clear-voided.ts`). */
export const voidsPending = { activation: sql<number>`activation + 1`, voidedAt: sql<Date>`now()` }

/** Whether a delivery that looks pending will not be sent. An attempt in progress continues. */
export function isVoid(
  {
    activation,
    nextAttemptAt,
    claimedUntil,
  }: { activation: number; nextAttemptAt: Date | null; claimedUntil: Date | null },
  webhook: { activation: number },
): boolean {
  return nextAttemptAt !== null && claimedUntil === null && activation < webhook.activation
}
