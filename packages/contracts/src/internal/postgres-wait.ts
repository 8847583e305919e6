/** Milliseconds that a request may wait for Postgres in all processes together: 503 comes within 2 s (docs/api.md §1). */
export const postgresWaitMs = 1_700

/** Header by which the gateway tells a service how many milliseconds of it are left. */
export const postgresWaitHeader = 'x-tideport-postgres-wait-ms'
