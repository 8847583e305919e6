import { dashboard } from './dashboard.ts'

export const pipeline = dashboard(
  'tideport-pipeline',
  'Tideport / Pipeline',
  'Files on their way from upload to the storage network, and the messages and events that move them.',
  `
# States

Files on their way [short]
Files outside the trash by status, without cold ones. \`hot\` is the backlog of sync, \`synced\` waits for its retention.
max by (status) (tideport_files{status!="cold", NS})

Cold files [short]
Files whose only copy is on the storage network.
max(tideport_files{status="cold", NS}) => cold

Oldest file [s]
How long the oldest file has been in its status. \`hot\` above 15 min pages.
max by (status) (tideport_oldest_file_age_seconds{NS})

Transitions [ops]
Changes of status a second.
sum by (from, to) (rate(tideport_file_transitions_total{NS}[$__rate_interval])) => {{from}} → {{to}}

From confirm to synced [s]
How long files waited for their copy; 99 % within 15 min is promised.
histogram_quantile(0.50, sum by (le) (rate(tideport_confirm_to_synced_seconds_bucket{NS}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(tideport_confirm_to_synced_seconds_bucket{NS}[$__rate_interval]))) => p99

Longest due [s]
How long the work that waits longest has been due without anybody at it.
max by (queue) (tideport_due_age_seconds{NS})

Claims without an outcome [short]
The most times in a row that a step of one file or copy was begun and not ended. Above 10 pages, above 20 storing is given up.
max(tideport_unfinished_claims_max{NS}) => claims

Broken promises [short]
Files whose row contradicts itself. Always 0.
max by (rule) (tideport_files_invariant_violations{NS})

Lost copies [short]
Copies that a network lost and that are not stored again yet. More than 0 for 15 min is an alert.
max by (network) (tideport_copies_lost{NS})

Copies that were given up [short]
Of files that are well otherwise, until somebody has them tried again. More than 0 for 15 min is an alert.
max(tideport_copies_failed{NS}) => copies

Mended copies [short]
Copies whose bytes were intact and that were mended in place, within an hour. More than a few: something damages the disk.
sum by (network, mended) (increase(tideport_copies_mended_total{NS}[1h]))

Copies still on networks that are left [short]
Copies on networks that are being left or are not configured. At 0 the network may be taken away.
max by (network) (tideport_copies_left{NS})

Cost of these figures [s]
Time that taking the figures of all files took; they are taken again after twenty times as long.
max(tideport_file_statistics_seconds{NS}) => seconds

# Runs of operators

Under way [short]
1 while a reconcile or verify that an operator started is not over.
max by (kind) (tideport_operator_runs_open{NS})

Given up [short]
1 when the one that ended last was given up, until another one ends. Alerts.
max by (kind) (tideport_operator_run_failed{NS})

Since the last one ended [s]
0: none ended within the time that they are kept.
max by (kind) (tideport_operator_run_ended_age_seconds{NS})

# Work

Store attempts [ops]
Attempts a second by outcome. \`not_due\` is harmless; \`gave_up\`: a copy that is not tried any more.
sum by (outcome) (rate(tideport_store_attempts_total{NS}[$__rate_interval]))

Prove attempts [ops]
Attempts a second by outcome. \`refused\`: by the network’s own answer; \`lost\`: three times.
sum by (outcome) (rate(tideport_prove_attempts_total{NS}[$__rate_interval]))

Evict attempts [ops]
Attempts a second by outcome. \`waiting\`: for copies that are to be proved first.
sum by (outcome) (rate(tideport_evict_attempts_total{NS}[$__rate_interval]))

Time of an attempt [s]
How long storing, proving and evicting take.
histogram_quantile(0.50, sum by (le) (rate(tideport_store_duration_seconds_bucket{NS}[$__rate_interval]))) => store, p50
histogram_quantile(0.99, sum by (le) (rate(tideport_store_duration_seconds_bucket{NS}[$__rate_interval]))) => store, p99
histogram_quantile(0.50, sum by (le) (rate(tideport_prove_duration_seconds_bucket{NS}[$__rate_interval]))) => prove, p50
histogram_quantile(0.99, sum by (le) (rate(tideport_prove_duration_seconds_bucket{NS}[$__rate_interval]))) => prove, p99
histogram_quantile(0.50, sum by (le) (rate(tideport_evict_duration_seconds_bucket{NS}[$__rate_interval]))) => evict, p50
histogram_quantile(0.99, sum by (le) (rate(tideport_evict_duration_seconds_bucket{NS}[$__rate_interval]))) => evict, p99

Bytes moved [Bps]
Bytes copied to the storage network, and dropped from the hot tier, a second.
sum(rate(tideport_sync_bytes_total{NS}[$__rate_interval])) => copied
sum(rate(tideport_evicted_bytes_total{NS}[$__rate_interval])) => dropped

Hot tier [bytes]
Bytes of files in the hot tier. It grows as long as less is evicted than is uploaded.
max(tideport_hot_bytes{NS}) => hot

Room on the storage networks [bytes]
Free bytes, and the reserve below which it takes no more copies.
min by (network) (tideport_storage_network_free_bytes{NS}) => {{network}} free
max by (network) (tideport_storage_network_reserve_bytes{NS}) => {{network}} reserve

# Messages and events

Consumer lag [short]
Messages that wait for each consumer or are being handled. JOBS has one a file and queue at most.
max by (consumer) (tideport_consumer_lag{NS})

Messages settled [ops]
What the broker was told a second. \`nak\` and \`expired\` come again.
sum by (consumer, result) (rate(tideport_messages_settled_total{NS}[$__rate_interval]))

Redeliveries [ops]
Messages a second that had been given out before: workers died, were too slow or failed.
sum by (consumer) (rate(tideport_message_redeliveries_total{NS}[$__rate_interval]))

Time to handle a message, p99 [s]
From receiving a message to settling it.
histogram_quantile(0.99, sum by (le, messaging_consumer_group_name) (rate(messaging_process_duration_seconds_bucket{NS}[$__rate_interval]))) => {{messaging_consumer_group_name}}

Messages sent [ops]
Jobs and events that the broker took a second.
sum by (messaging_destination_name) (rate(messaging_client_sent_messages_total{NS}[$__rate_interval]))

Events that wait [short]
Events that no relay has published yet.
max(tideport_events_unpublished{NS}) => events

Oldest event that waits [s]
Its age; above 5 min pages. Also how much history is left to send again after a loss.
max(tideport_events_unpublished_oldest_age_seconds{NS}) => oldest
max(tideport_event_resend_left_seconds{NS}) => history left

Events refused [short]
Events an hour that broke their contract and go to nobody. Any opens a ticket.
sum(increase(tideport_events_refused_total{NS}[1h])) => events

Streams, how full [percentunit, max 1]
Share of its limit that each stream takes. Full, JOBS refuses jobs and EVENTS drops its oldest.
max by (stream) (tideport_stream_bytes{NS} / tideport_stream_max_bytes{NS})

Workers that rest [short]
Processes that take no work of one kind, because a network or the hot tier is down.
sum by (service, needs) (tideport_circuit_open{NS}) => {{service}}: {{needs}}

# Jobs of accounts

Jobs of accounts [short, stacked]
Moves, copies, exports and so on that are not over, by their kind.
max by (kind) (tideport_account_jobs{NS})

Oldest job [s]
How long ago the oldest one that is not over was asked for. Exports of large accounts take days.
max by (kind) (tideport_account_jobs_oldest_age_seconds{NS})

Jobs, longest due [s]
How long a job that no other one keeps waiting has been due without anybody at it. 10 min is an alert.
max by (kind) (tideport_account_jobs_due_age_seconds{NS})

Jobs that ended [short]
Within an hour. \`refused\`: what was asked for cannot be done. \`cancelled\`: by whoever asked. \`failed\`: a part failed again and again, which opens a ticket.
sum by (kind, outcome) (increase(tideport_account_jobs_ended_total{NS}[1h]))

Batches put off [short]
Parts of jobs that failed and are tried again, within an hour. The log has each.
sum by (kind) (increase(tideport_account_jobs_put_off_total{NS}[1h]))

Time of a job, p99 [s]
From its request to its end, of those that are done.
histogram_quantile(0.99, sum by (le, kind) (rate(tideport_account_job_duration_seconds_bucket{NS}[$__rate_interval]))) => {{kind}}
`,
)
