import { dashboard } from './dashboard.ts'

const OURS = 'service=~"gateway|auth|files|sync|eviction|webhooks", NS'

export const runtime = dashboard(
  'tideport-runtime',
  'Tideport / Runtime',
  'The processes themselves: CPU, memory, event loops, connections.',
  `
# Processes

Versions [short]
Processes by service and version. Two versions for long: a rollout is stuck.
count by (service, version) (tideport_build_info{NS})

Draining [short]
Processes that were told to stop and finish what is under way.
sum by (service) (tideport_draining{NS})

Restarts [short]
How often processes of a service began anew in the last 15 min, at the same address.
sum by (service) (changes(process_start_time_seconds{${OURS}}[15m]))

Uncaught errors [short]
Of single requests and connections, which nothing had listened to. Any is a fault in the code.
sum by (service, kind) (increase(tideport_uncaught_errors_total{NS}[$__rate_interval]))

CPU [short, stacked]
Cores that each service uses. One process uses little more than one.
sum by (service) (rate(process_cpu_seconds_total{${OURS}}[$__rate_interval]))

Event loop lag, p99 [s]
The slowest process of each service; 0.01 s is rest. Above 0.25 s it answers late, also its probes.
max by (service) (nodejs_eventloop_lag_p99_seconds{${OURS}})

Garbage collection [percentunit]
Share of the time that the busiest process of each service spends on it.
max by (service) (sum by (service, instance) (rate(nodejs_gc_duration_seconds_sum{${OURS}}[$__rate_interval])))

Memory [bytes]
Resident memory of the largest process of each service.
max by (service) (process_resident_memory_bytes{${OURS}})

Heap [bytes]
JavaScript heap in use by the largest process of each service.
max by (service) (nodejs_heap_size_used_bytes{${OURS}})

Open file descriptors [short]
Of the process of each service that has most: connections, mostly.
max by (service) (process_open_fds{${OURS}})

# Postgres

Connections [short, stacked, width 6]
Connections by service, busy and idle; their sum must stay below max_connections of the server.
sum by (service, state) (tideport_pg_pool_connections{NS})

Pools, how busy [percentunit, width 6, max 1]
Busy connections of the busiest process of each service, of those it may hold.
max by (service) (tideport_pg_pool_connections{state="busy", NS} / ignoring (state) tideport_pg_pool_connections_max{NS})

Wait for a connection, p99 [s, width 6]
How long statements wait. Above 0.5 s for a tenth of them pages.
histogram_quantile(0.99, sum by (le, service) (rate(tideport_pg_pool_wait_seconds_bucket{NS}[$__rate_interval]))) => {{service}}

Statements that wait [short, width 6]
Statements without a connection at the moment.
sum by (service) (tideport_pg_pool_waiting{NS})

# NATS

Processes without the broker [short, width 12]
Processes that are not connected to NATS; any for 2 min pages.
sum by (service) (1 - tideport_nats_connected{NS})

Reconnects [ops, width 12]
Connections to NATS a second after the first. Steady: something cuts them.
sum by (service) (rate(tideport_nats_reconnects_total{NS}[$__rate_interval]))
`,
)
