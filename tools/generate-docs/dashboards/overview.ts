import { dashboard } from './dashboard.ts'

const API = 'service="gateway", http_route!~"/ready|/api/downloads/.*|/api/public/(files|blobs)/.*", NS'

export const overview = dashboard(
  'tideport-overview',
  'Tideport / Overview',
  'Objectives, and slow or failing services behind the gateway.',
  `
# Objectives

Requests without 5xx [percentunit, stat, width 4]
Share of requests without a 5xx response over three days. Objective: 99.9 %.
1 - tideport:gateway_availability_error_ratio:rate3d{NS} => {{namespace}}

API within 500 ms [percentunit, stat, width 4]
Share of API requests under 500 ms over three days, without transfers. Objective: 99 %.
1 - tideport:api_latency_error_ratio:rate3d{NS} => {{namespace}}

Synced within 15 min [percentunit, stat, width 4]
Share of confirmed files with a copy in time over three days. Objective: 99 %.
1 - tideport:sync_freshness_error_ratio:rate3d{NS} => {{namespace}}

Webhooks within 60 s [percentunit, stat, width 4]
Share of first webhook attempts that completed in time over three days. Objective: 99 %.
1 - tideport:webhook_promptness_error_ratio:rate3d{NS} => {{namespace}}

Invariant violations [short, stat, width 4]
Files whose rows contradict their bytes. Any value except 0 is an emergency.
sum(max by (rule) (tideport_files_invariant_violations{NS})) => files

Processes [short, stat, width 4]
Processes that Prometheus scrapes.
count(tideport_build_info{NS}) => processes

Error budget burn rate [short, width 12]
How many times faster than allowed requests fail. Alerts: 14.4 over 5m and 1h, 6 over 30m and 6h, 1 over 6h and 3d.
tideport:gateway_availability_error_ratio:rate5m{NS} / 0.001 => 5m {{namespace}}
tideport:gateway_availability_error_ratio:rate30m{NS} / 0.001 => 30m {{namespace}}
tideport:gateway_availability_error_ratio:rate1h{NS} / 0.001 => 1h {{namespace}}
tideport:gateway_availability_error_ratio:rate6h{NS} / 0.001 => 6h {{namespace}}
tideport:gateway_availability_error_ratio:rate3d{NS} / 0.001 => 3d {{namespace}}

Unavailable dependencies [short, width 12]
Processes without a response from Postgres, NATS, a storage tier, or an upstream, by service.
sum by (service, dependency) (1 - tideport_dependency_up{NS}) => {{service}}: {{dependency}}

# Gateway

Requests by status [reqps, stacked]
Responses of the gateway per second. 4xx are client errors; 5xx count against the objective.
sum by (class) (label_replace(rate(http_server_request_duration_seconds_count{service="gateway", NS}[$__rate_interval]), "class", "\${1}xx", "http_response_status_code", "(.).."))

API latency [s]
Duration of API requests without transfers. A p99 above 0.5 s misses the objective.
histogram_quantile(0.50, sum by (le) (rate(http_server_request_duration_seconds_bucket{${API}}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(http_server_request_duration_seconds_bucket{${API}}[$__rate_interval]))) => p99

Slowest routes [s]
The five routes with the highest 99th percentile.
topk(5, histogram_quantile(0.99, sum by (le, http_route) (rate(http_server_request_duration_seconds_bucket{service="gateway", NS}[$__rate_interval])))) => {{http_route}}

Failing routes [reqps]
The five routes with the most 5xx responses per second.
topk(5, sum by (http_route) (rate(http_server_request_duration_seconds_count{service="gateway", http_response_status_code=~"5..", NS}[$__rate_interval])) or 0 * sum by (http_route) (rate(http_server_request_duration_seconds_count{service="gateway", NS}[$__rate_interval])))

Authentication decisions [reqps]
Decisions per second. More refused credentials: somebody guesses, or a key was revoked.
sum by (method, outcome) (rate(tideport_auth_decisions_total{NS}[$__rate_interval]))

Rate-limited requests [reqps]
429 responses per second, by limit.
sum by (limit) (rate(tideport_rate_limited_total{NS}[$__rate_interval]))

# Services

Requests by service [reqps]
Requests per second that each service served.
sum by (service) (rate(http_server_request_duration_seconds_count{NS}[$__rate_interval]))

Latency by service, p99 [s]
The 99th percentile of each service. The gateway includes upstream services and transfers.
histogram_quantile(0.99, sum by (le, service) (rate(http_server_request_duration_seconds_bucket{NS}[$__rate_interval]))) => {{service}}

Outgoing requests [reqps]
Requests per second to other services, storage tiers, and webhook receivers, by outcome.
sum by (peer, outcome) (rate(http_client_request_duration_seconds_count{NS}[$__rate_interval]))

Outgoing request latency, p99 [s]
The 99th percentile of the time until the response begins.
histogram_quantile(0.99, sum by (le, peer) (rate(http_client_request_duration_seconds_bucket{NS}[$__rate_interval]))) => {{peer}}

Open transfers [short]
Downloads and one-request uploads in progress at the gateway, and downloads from each tier at files.
sum by (service, tier) (tideport_open_streams{NS})

Unresponsive upstream processes [short]
Unresponsive processes that a gateway sends no requests.
sum by (upstream) (tideport_upstream_hung{NS})
`,
)
