import type { Pool } from 'pg'
import type { Metrics } from './metrics.ts'

/** Shows how many of a pool's connections are in use, and how many statements wait for one. */
export function showConnections(pool: Pool, metrics: Metrics): void {
  metrics.gauge({
    name: 'tideport_database_connections',
    help: 'Connections to Postgres that this process holds',
    labelNames: ['state'],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
    },
  })
  metrics.gauge({
    name: 'tideport_database_waiting',
    help: 'Statements of this process that wait for a connection',
    collect() {
      this.set(pool.waitingCount)
    },
  })
}
