import { dashboard } from './dashboard.ts'

const OURS = 'service=~"serve|gateway|auth|files|sync|eviction|webhooks", NS'

export const runtime = dashboard(
  'tideport-runtime',
  'Tideport / Runtime',
  'CPU, memory, event loops, and connections of all processes.',
  `
# Processes

Versions [short]
Processes by service and version. Two versions for long: a rollout is stuck.
count by (service, version) (tideport_build_info{NS})

Draining [short]
Processes that are stopping and finish their work.
sum by (service) (tideport_draining{NS})

Restarts [short]
Restarts of a service within 15 min, at the same address.
sum by (service) (changes(process_start_time_seconds{${OURS}}[15m]))

Uncaught errors [short]
Uncaught errors of single requests and connections. Each is a bug.
sum by (service, kind) (increase(tideport_uncaught_errors_total{NS}[$__rate_interval]))

CPU [short, stacked]
Cores that each service uses. One process uses little more than one.
sum by (service) (rate(process_cpu_seconds_total{${OURS}}[$__rate_interval]))

Event loop lag, p99 [s]
The slowest process of each service; 0.01 s is idle. Above 0.25 s, it responds late, also to probes.
max by (service) (nodejs_eventloop_lag_p99_seconds{${OURS}})

Garbage collection [percentunit]
Share of time that the busiest process of each service spends on garbage collection.
max by (service) (sum by (service, instance) (rate(nodejs_gc_duration_seconds_sum{${OURS}}[$__rate_interval])))

Memory [bytes]
Resident memory of the largest process of each service.
max by (service) (process_resident_memory_bytes{${OURS}})

Heap [bytes]
JavaScript heap of the largest process of each service.
max by (service) (nodejs_heap_size_used_bytes{${OURS}})

Open file descriptors [short]
Maximum over the processes of each service. Most are connections.
max by (service) (process_open_fds{${OURS}})

# Postgres

Connections [short, stacked, width 6]
Connections by service, busy and idle. Their sum must stay below max_connections of the server.
sum by (service, state) (tideport_pg_pool_connections{NS})

Pool usage [percentunit, width 6, max 1]
Busy connections of the busiest process of each service, as a share of its pool.
max by (service) (tideport_pg_pool_connections{state="busy", NS} / ignoring (state) tideport_pg_pool_connections_max{NS})

Connection wait, p99 [s, width 6]
How long statements wait. Above 0.5 s for a tenth of them fires a page.
histogram_quantile(0.99, sum by (le, service) (rate(tideport_pg_pool_wait_seconds_bucket{NS}[$__rate_interval]))) => {{service}}

Waiting statements [short, width 6]
Statements that currently wait for a connection.
sum by (service) (tideport_pg_pool_waiting{NS})

# NATS

Disconnected processes [short, width 12]
Processes without a connection to NATS. Any for 2 min fires a page.
sum by (service) (1 - tideport_nats_connected{NS})

Reconnects [ops, width 12]
Reconnections to NATS per second. A steady rate: something cuts them.
sum by (service) (rate(tideport_nats_reconnects_total{NS}[$__rate_interval]))
`,
)
