/** See docs/reference/http/webhooks.md. */
export const webhooksPerAccountMax = 20

/** Concurrent deliveries of one account, across all its webhooks and all replicas. */
export const underWayPerAccountMax = 64

/** Valid secrets of a webhook in addition to the current one. */
export const previousSecretsMax = 5

export const testsPerMinuteMax = 5

/** Interval between requested redeliveries. */
export const redeliverySpacingMs = 100

/** Concurrent deliveries of one process while no name can be resolved. */
export const triedWhileDownMax = 8

/** Pause of a webhook, ±50 %, after the resolver could not look up its name. */
export const pauseSeconds = 4

/** A claim that was not sent within this time is not sent at all. */
export const sendWithinMs = 2000

/** After this time, no claim can still begin to send: `sendWithinMs`, plus the time to connect, plus a margin. */
export const quietAfterSeconds = 8

/** Added to the longest attempt in a claim: time to record the outcome. */
const LEASE_MARGIN_SECONDS = 15

/** How long a claim excludes other senders. */
export function claimSeconds(timeoutSeconds: number): number {
  return timeoutSeconds + LEASE_MARGIN_SECONDS
}
