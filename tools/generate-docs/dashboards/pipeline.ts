import { dashboard } from './dashboard.ts'

export const pipeline = dashboard(
  'tideport-pipeline',
  'Tideport / Pipeline',
  'Files between upload and storage network, and the messages and events that move them.',
  `
# States

Files in progress [short]
Files outside the trash by state, without cold ones. \`hot\` is the backlog of sync; \`synced\` waits for its retention.
max by (status) (tideport_files{status!="cold", NS})

Cold files [short]
Files whose only copies are on storage networks.
max(tideport_files{status="cold", NS}) => cold

Oldest file by state [s]
How long the oldest file has been in its state. \`hot\` above 15 min fires a page.
max by (status) (tideport_oldest_file_age_seconds{NS})

State transitions [ops]
State changes per second.
sum by (from, to) (rate(tideport_file_transitions_total{NS}[$__rate_interval])) => {{from}} → {{to}}

Confirm to synced [s]
How long files waited for their copy. Objective: 99 % within 15 min.
histogram_quantile(0.50, sum by (le) (rate(tideport_confirm_to_synced_seconds_bucket{NS}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(tideport_confirm_to_synced_seconds_bucket{NS}[$__rate_interval]))) => p99

Oldest due work [s]
How long the oldest due work has waited for a worker, by queue.
max by (queue) (tideport_due_age_seconds{NS})

Unfinished claims [short]
Most unfinished attempts in a row at one step of a file or copy. Above 10 fires a page; above 20, storing fails permanently.
max(tideport_unfinished_claims_max{NS}) => claims

Invariant violations [short]
Files whose rows contradict their bytes. Always 0.
max by (rule) (tideport_files_invariant_violations{NS})

Lost copies [short]
Lost copies that have not been stored again. Above 0 for 15 min fires an alert.
max by (network) (tideport_copies_lost{NS})

Failed copies [short]
Permanently failed copies of otherwise healthy files, until an operator retries them. Above 0 for 15 min fires an alert.
max(tideport_copies_failed{NS}) => copies

Repaired copies [short]
Copies with intact content that were repaired in place within an hour. More than a few: something damages the disk.
sum by (network, mended) (increase(tideport_copies_mended_total{NS}[1h]))

Copies on leaving networks [short]
Copies on networks that are leaving or not configured. At 0, you can remove the network.
max by (network) (tideport_copies_left{NS})

Statistics duration [s]
Time to count all files. The next count starts after 20 times as long.
max(tideport_file_statistics_seconds{NS}) => seconds

# Operator runs

Runs in progress [short]
1 while a reconcile or verify run is in progress.
max by (kind) (tideport_operator_runs_open{NS})

Failed runs [short]
1 if the last run failed, until another one succeeds or is cancelled. Fires an alert.
max by (kind) (tideport_operator_run_failed{NS})

Time since the last run [s]
0 if no finished run is on record.
max by (kind) (tideport_operator_run_ended_age_seconds{NS})

# Work

Store attempts [ops]
Attempts per second by outcome. \`not_due\` is harmless; \`gave_up\`: the copy failed permanently.
sum by (outcome) (rate(tideport_store_attempts_total{NS}[$__rate_interval]))

Prove attempts [ops]
Attempts per second by outcome. \`refused\`: the network denies the copy; \`lost\`: it did so three times.
sum by (outcome) (rate(tideport_prove_attempts_total{NS}[$__rate_interval]))

Evict attempts [ops]
Attempts per second by outcome. \`waiting\`: other copies must be proved first.
sum by (outcome) (rate(tideport_evict_attempts_total{NS}[$__rate_interval]))

Attempt duration [s]
Duration of storing, proving, and evicting.
histogram_quantile(0.50, sum by (le) (rate(tideport_store_duration_seconds_bucket{NS}[$__rate_interval]))) => store, p50
histogram_quantile(0.99, sum by (le) (rate(tideport_store_duration_seconds_bucket{NS}[$__rate_interval]))) => store, p99
histogram_quantile(0.50, sum by (le) (rate(tideport_prove_duration_seconds_bucket{NS}[$__rate_interval]))) => prove, p50
histogram_quantile(0.99, sum by (le) (rate(tideport_prove_duration_seconds_bucket{NS}[$__rate_interval]))) => prove, p99
histogram_quantile(0.50, sum by (le) (rate(tideport_evict_duration_seconds_bucket{NS}[$__rate_interval]))) => evict, p50
histogram_quantile(0.99, sum by (le) (rate(tideport_evict_duration_seconds_bucket{NS}[$__rate_interval]))) => evict, p99

Throughput [Bps]
Bytes per second copied to storage networks, and evicted from the hot tier.
sum(rate(tideport_sync_bytes_total{NS}[$__rate_interval])) => copied
sum(rate(tideport_evicted_bytes_total{NS}[$__rate_interval])) => evicted

Hot storage [bytes]
Bytes of files in the hot tier. Grows while uploads exceed evictions.
max(tideport_hot_bytes{NS}) => hot

Free space on storage networks [bytes]
Free bytes, and the reserve below which a network accepts no more copies.
min by (network) (tideport_storage_network_free_bytes{NS}) => {{network}} free
max by (network) (tideport_storage_network_reserve_bytes{NS}) => {{network}} reserve

# Messages and events

Consumer lag [short]
Messages that wait for a consumer or are being processed. JOBS has at most one per file and queue.
max by (consumer) (tideport_consumer_lag{NS})

Messages settled [ops]
Messages settled per second. \`nak\` and \`expired\` are redelivered.
sum by (consumer, result) (rate(tideport_messages_settled_total{NS}[$__rate_interval]))

Redeliveries [ops]
Redelivered messages per second: workers died, failed, or were too slow.
sum by (consumer) (rate(tideport_message_redeliveries_total{NS}[$__rate_interval]))

Message processing time, p99 [s]
Time from receiving a message to settling it.
histogram_quantile(0.99, sum by (le, messaging_consumer_group_name) (rate(messaging_process_duration_seconds_bucket{NS}[$__rate_interval]))) => {{messaging_consumer_group_name}}

Messages sent [ops]
Jobs and events per second that NATS accepted.
sum by (messaging_destination_name) (rate(messaging_client_sent_messages_total{NS}[$__rate_interval]))

Unpublished events [short]
Events that no relay has published yet.
max(tideport_events_unpublished{NS}) => events

Oldest unpublished event [s]
Age of the oldest unpublished event; above 5 min fires a page. Also the history that remains to be resent after a loss.
max(tideport_events_unpublished_oldest_age_seconds{NS}) => oldest
max(tideport_event_resend_left_seconds{NS}) => history left

Rejected events [short]
Events per hour that do not match their schema and are never published. Any opens a ticket.
sum(increase(tideport_events_refused_total{NS}[1h])) => events

Stream usage [percentunit, max 1]
Share of the limit of each stream. When full, JOBS rejects jobs, and EVENTS drops its oldest messages.
max by (stream) (tideport_stream_bytes{NS} / tideport_stream_max_bytes{NS})

Paused workers [short]
Processes that take no work of one kind because a network or the hot tier is down.
sum by (service, needs) (tideport_circuit_open{NS}) => {{service}}: {{needs}}

# Account jobs

Account jobs [short, stacked]
Unfinished moves, copies, exports, and similar jobs, by kind.
max by (kind) (tideport_account_jobs{NS})

Oldest account job [s]
Age of the oldest unfinished job. Exports of large accounts take days.
max by (kind) (tideport_account_jobs_oldest_age_seconds{NS})

Oldest due account job [s]
How long an unblocked job has been due without a worker. Above 10 min fires an alert.
max by (kind) (tideport_account_jobs_due_age_seconds{NS})

Finished account jobs [short]
Within an hour. \`refused\`: the request cannot be fulfilled. \`cancelled\`: by its account. \`failed\`: a batch failed repeatedly, which opens a ticket.
sum by (kind, outcome) (increase(tideport_account_jobs_ended_total{NS}[1h]))

Postponed batches [short]
Batches of jobs that failed within an hour and are retried. The log has each one.
sum by (kind) (increase(tideport_account_jobs_put_off_total{NS}[1h]))

Account job duration, p99 [s]
Time from the request to completion of finished jobs.
histogram_quantile(0.99, sum by (le, kind) (rate(tideport_account_job_duration_seconds_bucket{NS}[$__rate_interval]))) => {{kind}}
`,
)
