/** Additional requests that a call costs; a service reports them to the gateway (docs/reference/http/conventions.md). */
export const costHeader = 'x-tideport-cost'

/** The client's address as the gateway sees it. The gateway ignores the client's own headers. */
export const clientAddressHeader = 'x-tideport-client-address'

/**
 * Milliseconds that a request may wait for Postgres in all processes together, so 503 comes within 2 s
 * (docs/reference/http/conventions.md).
 */
export const postgresWaitMs = 1_700

/** The remainder of `postgresWaitMs` for a service. */
export const postgresWaitHeader = 'x-tideport-postgres-wait-ms'
