/**
 * How long one request may wait for a Postgres that does not answer, in milliseconds, in every process it passes
 * through together. With what the way takes, the 503 is there within the promised 2 s (docs/api.md §1).
 */
export const postgresWaitMs = 1_700

/** Header by which the gateway tells a service how many milliseconds of it are left. */
export const postgresWaitHeader = 'x-tideport-postgres-wait-ms'
