import { dashboard } from './dashboard.ts'

const HPA = 'horizontalpodautoscaler=~".*(sync|eviction|webhooks)", NS'
const CONSUMER = 'is_consumer_leader="true", consumer_name=~"(store|prove)-.+|rehydrate|evict|webhooks-fan-out"'
const KEDA = 'scaledObject=~".*tideport.*"'

export const scaling = dashboard(
  'tideport-scaling',
  'Tideport / Scaling',
  'Number of workers compared with the backlog, and the state of the autoscaler.',
  `
# Workers and backlog

Consumer processes [short]
Processes that take the messages of each consumer. 0 with a backlog fires a page.
tideport:consumer_processes{NS} => {{consumer}}

Backlog [short]
Messages that wait or are being processed.
tideport:consumer_lag{NS} => {{consumer}}

Backlog per process [short]
The value that KEDA compares with lagThreshold (24 for sync).
tideport:consumer_lag{NS} / on (namespace, consumer) tideport:consumer_processes{NS} => {{consumer}}

Sync slots [short]
Files that all sync processes can process at once, and currently process.
sum(tideport_sync_slots{NS}) => slots
sum(tideport_sync_slots_busy{NS}) => busy

Sync slot usage [percentunit, max 1]
Maximum and average over processes. The HPA scales by this value without KEDA.
max(tideport_sync_slots_busy_ratio{NS}) => busiest
avg(tideport_sync_slots_busy_ratio{NS}) => average

Synced and evicted [ops]
Files per second. Shows whether more workers get more done.
sum(rate(tideport_file_transitions_total{to="synced", NS}[$__rate_interval])) => synced
sum(rate(tideport_evicted_files_total{NS}[$__rate_interval])) => evicted

# Autoscaler

Replicas: current and desired [short, width 12]
From kube-state-metrics. A lasting difference: pods cannot be scheduled.
max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_current_replicas{${HPA}}) => {{horizontalpodautoscaler}} current
max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_desired_replicas{${HPA}}) => {{horizontalpodautoscaler}} desired
max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_spec_max_replicas{${HPA}}) => {{horizontalpodautoscaler}} max

KEDA: measured backlog [short, width 12]
The backlog that the scaler sees. If it differs from the backlog above, KEDA reaches a follower or nothing.
max by (scaledObject) (keda_scaler_metrics_value{${KEDA}})

KEDA: errors [ops]
Errors of scalers and scaled objects per second. While they last, the fallback replicas apply.
sum by (scaledObject) (rate(keda_scaler_detail_errors_total{${KEDA}}[$__rate_interval])) => {{scaledObject}} scaler
sum by (scaledObject) (rate(keda_scaled_object_errors_total{${KEDA}}[$__rate_interval]))

KEDA: active and paused [short, max 1]
1: the scaler is active; 1: an annotation pauses scaling.
max by (scaledObject) (keda_scaler_active{${KEDA}}) => {{scaledObject}} active
max by (scaledObject) (keda_scaled_object_paused{${KEDA}}) => {{scaledObject}} paused

KEDA: measurement latency [s]
Time to query NATS for the backlog.
max by (scaledObject) (keda_scaler_metrics_latency_seconds{${KEDA}})

# NATS exporter

Pending and unacknowledged [short]
Messages of the leader of each consumer. Their sum is the backlog above.
max by (consumer_name) (jetstream_consumer_num_pending{${CONSUMER}}) => {{consumer_name}} pending
max by (consumer_name) (jetstream_consumer_num_ack_pending{${CONSUMER}}) => {{consumer_name}} unacknowledged

Waiting pulls [short]
Open pulls of idle workers. 0 with idle workers: they have lost NATS.
max by (consumer_name) (jetstream_consumer_num_waiting{${CONSUMER}})

Redelivered and unacknowledged [short]
Messages that were delivered more than once and are not settled.
max by (consumer_name) (jetstream_consumer_num_redelivered{${CONSUMER}})
`,
)
