import type { PostgresPool } from 'kysely'
import type { Pool } from 'pg'
import type { Metrics } from '../telemetry/metrics.ts'

/**
 * Shows how many of a pool's connections are in use, how many statements wait for one, and for how long they did.
 * Answers `lent`, the same pool as statements see it, whose waits are measured.
 */
export function observePool(pool: Pool, lent: PostgresPool, metrics: Metrics): PostgresPool {
  metrics.showEach('tideport_pg_pool_connections', 'state', 'Connections to Postgres that this process holds', () => ({
    busy: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
  }))
  const maxHelp = 'Connections to Postgres that this process may hold'
  metrics.show('tideport_pg_pool_connections_max', maxHelp, () => pool.options.max)
  const waitingHelp = 'Statements of this process that wait for a connection'
  metrics.show('tideport_pg_pool_waiting', waitingHelp, () => pool.waitingCount)
  const waits = metrics.histogram({
    name: 'tideport_pg_pool_wait_seconds',
    help: 'Time until a statement or transaction had a connection, or was refused one',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  return {
    ...lent,
    async connect() {
      const startedAt = performance.now()
      try {
        return await lent.connect()
      } finally {
        waits.observe((performance.now() - startedAt) / 1000)
      }
    },
  }
}
