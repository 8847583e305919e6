import { sql } from 'kysely'

/** What the owner reads of a delivery that was still pending when its webhook was switched off. */
export const skippedError = 'Skipped because the webhook was switched off'

/** Deliveries of a lower `activation` are void from then on. A periodic task ends them (clear-voided.ts). */
export const voidsPending = { activation: sql<number>`activation + 1`, voidedAt: sql<Date>`now()` }

/** Whether nothing more will be sent of what looks pending. An attempt under way goes on. */
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
