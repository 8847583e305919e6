import { dashboard } from './dashboard.ts'

const HPA = 'horizontalpodautoscaler=~".*(sync|eviction|webhooks)", NS'
const CONSUMER = 'is_consumer_leader="true", consumer_name=~"(store|prove)-.+|rehydrate|evict|webhooks-fan-out"'
const KEDA = 'scaledObject=~".*tideport.*"'

export const scaling = dashboard(
  'tideport-scaling',
  'Tideport / Scaling',
  'Whether there are as many workers as the backlog asks for, and whether the autoscaler works.',
  `
# Workers and backlog

Processes [short]
Processes that take the messages of each consumer. 0 with a backlog pages.
tideport:consumer_processes{NS} => {{consumer}}

Backlog [short]
Messages that wait or are being handled.
tideport:consumer_lag{NS} => {{consumer}}

Backlog for each process [short]
What KEDA compares with lagThreshold (24 for sync).
tideport:consumer_lag{NS} / on (namespace, consumer) tideport:consumer_processes{NS} => {{consumer}}

Sync slots [short]
Files that all sync workers can be at work on, and are.
sum(tideport_sync_slots{NS}) => slots
sum(tideport_sync_slots_busy{NS}) => busy

Share of sync slots that are busy [percentunit, max 1]
Of each process at most and on average; what the HPA scales by without KEDA.
max(tideport_sync_slots_busy_ratio{NS}) => busiest
avg(tideport_sync_slots_busy_ratio{NS}) => average

Synced and evicted [ops]
Files a second: whether more workers get more done.
sum(rate(tideport_file_transitions_total{to="synced", NS}[$__rate_interval])) => synced
sum(rate(tideport_evicted_files_total{NS}[$__rate_interval])) => evicted

# Autoscaler

Replicas: current and desired [short, width 12]
What the autoscaler wants and has, by kube-state-metrics. Apart for long: pods cannot be scheduled.
max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_current_replicas{${HPA}}) => {{horizontalpodautoscaler}} current
max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_desired_replicas{${HPA}}) => {{horizontalpodautoscaler}} desired
max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_spec_max_replicas{${HPA}}) => {{horizontalpodautoscaler}} max

KEDA: what it measures [short, width 12]
The backlog as the scaler sees it. Unlike the one above: it reaches a follower, or nothing.
max by (scaledObject) (keda_scaler_metrics_value{${KEDA}})

KEDA: errors [ops]
Errors of scalers and of scaled objects a second. With errors for long its fallback replicas hold.
sum by (scaledObject) (rate(keda_scaler_detail_errors_total{${KEDA}}[$__rate_interval])) => {{scaledObject}} scaler
sum by (scaledObject) (rate(keda_scaled_object_errors_total{${KEDA}}[$__rate_interval]))

KEDA: active and paused [short, max 1]
1: the scaler is active; 1: scaling was paused by an annotation.
max by (scaledObject) (keda_scaler_active{${KEDA}}) => {{scaledObject}} active
max by (scaledObject) (keda_scaled_object_paused{${KEDA}}) => {{scaledObject}} paused

KEDA: time to measure [s]
Time of asking NATS for the backlog.
max by (scaledObject) (keda_scaler_metrics_latency_seconds{${KEDA}})

# As the NATS exporter tells it

Waiting and under way [short]
Messages of the leader of each consumer; their sum is the backlog above.
max by (consumer_name) (jetstream_consumer_num_pending{${CONSUMER}}) => {{consumer_name}} waiting
max by (consumer_name) (jetstream_consumer_num_ack_pending{${CONSUMER}}) => {{consumer_name}} under way

Pulls that wait for messages [short]
Open pulls of idle workers. 0 with idle workers: they have lost the broker.
max by (consumer_name) (jetstream_consumer_num_waiting{${CONSUMER}})

Redelivered and not acknowledged yet [short]
Messages that were given out more than once and are not settled.
max by (consumer_name) (jetstream_consumer_num_redelivered{${CONSUMER}})
`,
)
