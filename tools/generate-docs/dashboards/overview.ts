import { dashboard } from './dashboard.ts'

const API = 'service="gateway", http_route!~"/ready|/api/downloads/.*|/api/public/(files|blobs)/.*", NS'

export const overview = dashboard(
  'tideport-overview',
  'Tideport / Overview',
  'Whether clients get what was promised, and who behind the gateway is slow or fails.',
  `
# Objectives

Requests answered [percentunit, stat, width 4]
Requests that were not answered 5xx; 99.9 % is promised. Of the last three days.
1 - tideport:gateway_availability_error_ratio:rate3d{NS} => {{namespace}}

API within 500 ms [percentunit, stat, width 4]
API requests without bytes that took no longer; 99 % is promised. Of the last three days.
1 - tideport:api_latency_error_ratio:rate3d{NS} => {{namespace}}

Synced within 15 min [percentunit, stat, width 4]
Confirmed files that had their copy in time; 99 % is promised. Of the last three days.
1 - tideport:sync_freshness_error_ratio:rate3d{NS} => {{namespace}}

Told within 60 s [percentunit, stat, width 4]
First webhook attempts that ended in time; 99 % is promised. Of the last three days.
1 - tideport:webhook_promptness_error_ratio:rate3d{NS} => {{namespace}}

Broken promises [short, stat, width 4]
Files whose rows cannot be true. Anything but 0 is an emergency.
sum(max by (rule) (tideport_files_invariant_violations{NS})) => files

Processes [short, stat, width 4]
Processes that are being scraped.
count(tideport_build_info{NS}) => processes

Burn rate of the error budget [short, width 12]
How many times faster than allowed requests fail. Alerts: 14.4 on 5m and 1h, 6 on 30m and 6h, 1 on 6h and 3d.
tideport:gateway_availability_error_ratio:rate5m{NS} / 0.001 => 5m {{namespace}}
tideport:gateway_availability_error_ratio:rate30m{NS} / 0.001 => 30m {{namespace}}
tideport:gateway_availability_error_ratio:rate1h{NS} / 0.001 => 1h {{namespace}}
tideport:gateway_availability_error_ratio:rate6h{NS} / 0.001 => 6h {{namespace}}
tideport:gateway_availability_error_ratio:rate3d{NS} / 0.001 => 3d {{namespace}}

Dependencies that do not answer [short, width 12]
Processes for which Postgres, NATS, a storage tier or an upstream is down, by service.
sum by (service, dependency) (1 - tideport_dependency_up{NS}) => {{service}}: {{dependency}}

# At the gateway

Requests by status [reqps, stacked]
Answers of the gateway a second. 4xx are clients; 5xx count against the objective.
sum by (class) (label_replace(rate(http_server_request_duration_seconds_count{service="gateway", NS}[$__rate_interval]), "class", "\${1}xx", "http_response_status_code", "(.).."))

Latency [s]
Time of API requests without those that carry bytes. p99 above 0.5 s breaks the objective.
histogram_quantile(0.50, sum by (le) (rate(http_server_request_duration_seconds_bucket{${API}}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(http_server_request_duration_seconds_bucket{${API}}[$__rate_interval]))) => p99

Slowest routes [s]
The five routes with the highest 99th percentile.
topk(5, histogram_quantile(0.99, sum by (le, http_route) (rate(http_server_request_duration_seconds_bucket{service="gateway", NS}[$__rate_interval])))) => {{http_route}}

Failing routes [reqps]
The five routes with most 5xx a second.
topk(5, sum by (http_route) (rate(http_server_request_duration_seconds_count{service="gateway", http_response_status_code=~"5..", NS}[$__rate_interval])) or 0 * sum by (http_route) (rate(http_server_request_duration_seconds_count{service="gateway", NS}[$__rate_interval])))

Credentials [reqps]
Decisions about credentials a second. Refused ones rising: somebody guesses, or a key was revoked.
sum by (method, outcome) (rate(tideport_auth_decisions_total{NS}[$__rate_interval]))

Rate limited [reqps]
Requests answered 429 a second, by the limit that they met.
sum by (limit) (rate(tideport_rate_limited_total{NS}[$__rate_interval]))

# Behind it

Requests by service [reqps]
Requests that each service served a second.
sum by (service) (rate(http_server_request_duration_seconds_count{NS}[$__rate_interval]))

Latency by service, p99 [s]
The 99th percentile of each service. The gateway includes those behind it, and bytes.
histogram_quantile(0.99, sum by (le, service) (rate(http_server_request_duration_seconds_bucket{NS}[$__rate_interval]))) => {{service}}

Calls to others [reqps]
Calls a second to other services, the storage tiers and webhook receivers, by what came back.
sum by (peer, outcome) (rate(http_client_request_duration_seconds_count{NS}[$__rate_interval]))

Time of calls to others, p99 [s]
The 99th percentile until an answer began.
histogram_quantile(0.99, sum by (le, peer) (rate(http_client_request_duration_seconds_bucket{NS}[$__rate_interval]))) => {{peer}}

Downloads [short]
Files that are being sent now: by the gateway, and by files out of each tier.
sum by (service, tier) (tideport_open_streams{NS})

Processes left out because they hang [short]
Processes that a gateway sends nothing, since they answer nobody.
sum by (upstream) (tideport_upstream_hung{NS})
`,
)
