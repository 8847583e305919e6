import type { Dashboard } from './dashboard.ts'
import { rateBy, slowestBy } from './queries.ts'

const OURS = 'service=~"gateway|auth|files|sync|eviction|webhooks", NS'

export const runtime: Dashboard = {
  uid: 'tideport-runtime',
  title: 'Tideport / Runtime',
  description: 'The processes themselves: CPU, memory, event loops, connections.',
  rows: [
    {
      title: 'Processes',
      panels: [
        {
          title: 'Versions',
          description: 'Processes by service and version. Two versions for long: a rollout is stuck.',
          unit: 'short',
          queries: [['count by (service, version) (tideport_build_info{NS})', '{{service}} {{version}}']],
        },
        {
          title: 'Draining',
          description: 'Processes that were told to stop and finish what is under way.',
          unit: 'short',
          queries: [['sum by (service) (tideport_draining{NS})', '{{service}}']],
        },
        {
          title: 'Restarts',
          description: 'How often processes of a service began anew in the last 15 min, at the same address.',
          unit: 'short',
          queries: [[`sum by (service) (changes(process_start_time_seconds{${OURS}}[15m]))`, '{{service}}']],
        },
        {
          title: 'Uncaught errors',
          description: 'Of single requests and connections, which nothing had listened to. Any is a fault in the code.',
          unit: 'short',
          queries: [
            [
              'sum by (service, kind) (increase(tideport_uncaught_errors_total{NS}[$__rate_interval]))',
              '{{service}} {{kind}}',
            ],
          ],
        },
        {
          title: 'CPU',
          description: 'Cores that each service uses. One process uses little more than one.',
          unit: 'short',
          isStacked: true,
          queries: [[rateBy('service', `process_cpu_seconds_total{${OURS}}`), '{{service}}']],
        },
        {
          title: 'Event loop lag, p99',
          description:
            'The slowest process of each service; 0.01 s is rest. Above 0.25 s it answers late, also its probes.',
          unit: 's',
          queries: [[`max by (service) (nodejs_eventloop_lag_p99_seconds{${OURS}})`, '{{service}}']],
        },
        {
          title: 'Garbage collection',
          description: 'Share of the time that the busiest process of each service spends on it.',
          unit: 'percentunit',
          queries: [
            [
              `max by (service) (sum by (service, instance) (rate(nodejs_gc_duration_seconds_sum{${OURS}}[$__rate_interval])))`,
              '{{service}}',
            ],
          ],
        },
        {
          title: 'Memory',
          description: 'Resident memory of the largest process of each service.',
          unit: 'bytes',
          queries: [[`max by (service) (process_resident_memory_bytes{${OURS}})`, '{{service}}']],
        },
        {
          title: 'Heap',
          description: 'JavaScript heap in use by the largest process of each service.',
          unit: 'bytes',
          queries: [[`max by (service) (nodejs_heap_size_used_bytes{${OURS}})`, '{{service}}']],
        },
        {
          title: 'Open file descriptors',
          description: 'Of the process of each service that has most: connections, mostly.',
          unit: 'short',
          queries: [[`max by (service) (process_open_fds{${OURS}})`, '{{service}}']],
        },
      ],
    },
    {
      title: 'Postgres',
      panels: [
        {
          title: 'Connections',
          description:
            'Connections by service, busy and idle; their sum must stay below max_connections of the server.',
          unit: 'short',
          width: 6,
          isStacked: true,
          queries: [['sum by (service, state) (tideport_pg_pool_connections{NS})', '{{service}} {{state}}']],
        },
        {
          title: 'Pools, how busy',
          description: 'Busy connections of the busiest process of each service, of those it may hold.',
          unit: 'percentunit',
          width: 6,
          max: 1,
          queries: [
            [
              'max by (service) (tideport_pg_pool_connections{state="busy", NS} / ignoring (state) tideport_pg_pool_connections_max{NS})',
              '{{service}}',
            ],
          ],
        },
        {
          title: 'Wait for a connection, p99',
          description: 'How long statements wait. Above 0.5 s for a tenth of them pages.',
          unit: 's',
          width: 6,
          queries: [slowestBy('service', 'tideport_pg_pool_wait_seconds_bucket{NS}')],
        },
        {
          title: 'Statements that wait',
          description: 'Statements without a connection at the moment.',
          unit: 'short',
          width: 6,
          queries: [['sum by (service) (tideport_pg_pool_waiting{NS})', '{{service}}']],
        },
      ],
    },
    {
      title: 'NATS',
      panels: [
        {
          title: 'Processes without the broker',
          description: 'Processes that are not connected to NATS; any for 2 min pages.',
          unit: 'short',
          width: 12,
          queries: [['sum by (service) (1 - tideport_nats_connected{NS})', '{{service}}']],
        },
        {
          title: 'Reconnects',
          description: 'Connections to NATS a second after the first. Steady: something cuts them.',
          unit: 'ops',
          width: 12,
          queries: [[rateBy('service', 'tideport_nats_reconnects_total{NS}'), '{{service}}']],
        },
      ],
    },
  ],
}
