/** How many webhooks an account may have at once (docs/reference/http/conventions.md §6). */
export const webhooksPerAccountMax = 20

/** How many deliveries of one account may be under way at once, over all its webhooks and all replicas. */
export const underWayPerAccountMax = 64

/** How many secrets of a webhook may be valid beside the current one. */
export const previousSecretsMax = 5

export const testsPerMinuteMax = 5

/** How long a redelivery comes after the one asked for before it. */
export const redeliverySpacingMs = 100

/** How many deliveries one process tries while no name can be resolved. */
export const triedWhileDownMax = 8

/** How long nothing is sent to a webhook when we could not look up its name, half more or less. */
export const pauseSeconds = 4

/** A claim that was not sent within this time is not sent at all. */
export const sendWithinMs = 2000

/** After this time nothing can be about to be sent for a claim: `sendWithinMs`, the time to connect, and some more. */
export const quietAfterSeconds = 8

/** What a claim lasts beyond the longest attempt: time to record its outcome. */
const LEASE_MARGIN_SECONDS = 15

/** How long a claimed delivery is one sender's alone. */
export function claimSeconds(timeoutSeconds: number): number {
  return timeoutSeconds + LEASE_MARGIN_SECONDS
}
