/** A service reports to the gateway how many more requests a call costs (docs/api.md §5). */
export const costHeader = 'x-tideport-cost'

/** Header by which the gateway tells a service the address of the client, whatever that says of itself. */
export const clientAddressHeader = 'x-tideport-client-address'

/** Milliseconds that a request may wait for Postgres in all processes together: 503 comes within 2 s (docs/api.md §1). */
export const postgresWaitMs = 1_700

/** Header by which the gateway tells a service how many milliseconds of it are left. */
export const postgresWaitHeader = 'x-tideport-postgres-wait-ms'
