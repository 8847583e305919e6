/** A service reports to the gateway how many more requests a call costs (docs/reference/http/conventions.md). */
export const costHeader = 'x-tideport-cost'

/** The client's address as the gateway sees it, whatever the client's own headers say. */
export const clientAddressHeader = 'x-tideport-client-address'

/** Milliseconds that a request may wait for Postgres in all processes together: 503 comes within 2 s (docs/reference/http/conventions.md). */
export const postgresWaitMs = 1_700

/** How much of `postgresWaitMs` is left for a service. */
export const postgresWaitHeader = 'x-tideport-postgres-wait-ms'
