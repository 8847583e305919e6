import type { Dashboard, Panel, Query } from './dashboard.ts'
import { percentiles, rateBy, slowestBy } from './queries.ts'

const API = 'service="gateway", http_route!~"/ready|/api/downloads/.*|/api/public/(files|blobs)/.*", NS'
const failed = 'http_server_request_duration_seconds_count{service="gateway", http_response_status_code=~"5..", NS}'
const all = 'http_server_request_duration_seconds_count{service="gateway", NS}'

const kept = (title: string, objective: string, description: string): Panel => ({
  title,
  description: `${description} Of the last three days.`,
  unit: 'percentunit',
  isStat: true,
  width: 4,
  queries: [[`1 - tideport:${objective}_error_ratio:rate3d{NS}`, '{{namespace}}']],
})

const burn = (window: string): Query => [
  `tideport:gateway_availability_error_ratio:rate${window}{NS} / 0.001`,
  `${window} {{namespace}}`,
]

export const overview: Dashboard = {
  uid: 'tideport-overview',
  title: 'Tideport / Overview',
  description: 'Whether clients get what was promised, and who behind the gateway is slow or fails.',
  rows: [
    {
      title: 'Objectives',
      panels: [
        kept('Requests answered', 'gateway_availability', 'Requests that were not answered 5xx; 99.9 % is promised.'),
        kept('API within 500 ms', 'api_latency', 'API requests without bytes that took no longer; 99 % is promised.'),
        kept(
          'Synced within 15 min',
          'sync_freshness',
          'Confirmed files that had their copy in time; 99 % is promised.',
        ),
        kept('Told within 60 s', 'webhook_promptness', 'First webhook attempts that ended in time; 99 % is promised.'),
        {
          title: 'Broken promises',
          description: 'Files whose rows cannot be true. Anything but 0 is an emergency.',
          unit: 'short',
          isStat: true,
          width: 4,
          queries: [['sum(max by (rule) (tideport_files_invariant_violations{NS}))', 'files']],
        },
        {
          title: 'Processes',
          description: 'Processes that are being scraped.',
          unit: 'short',
          isStat: true,
          width: 4,
          queries: [['count(tideport_build_info{NS})', 'processes']],
        },
        {
          title: 'Burn rate of the error budget',
          description:
            'How many times faster than allowed requests fail. Alerts: 14.4 on 5m and 1h, 6 on 30m and 6h, 1 on 6h and 3d.',
          unit: 'short',
          width: 12,
          queries: [burn('5m'), burn('30m'), burn('1h'), burn('6h'), burn('3d')],
        },
        {
          title: 'Dependencies that do not answer',
          description: 'Processes for which Postgres, NATS, a storage tier or an upstream is down, by service.',
          unit: 'short',
          width: 12,
          queries: [['sum by (service, dependency) (1 - tideport_dependency_up{NS})', '{{service}}: {{dependency}}']],
        },
      ],
    },
    {
      title: 'At the gateway',
      panels: [
        {
          title: 'Requests by status',
          description: 'Answers of the gateway a second. 4xx are clients; 5xx count against the objective.',
          unit: 'reqps',
          isStacked: true,
          queries: [
            [
              `sum by (class) (label_replace(rate(${all}[$__rate_interval]), "class", "\${1}xx", "http_response_status_code", "(.).."))`,
              '{{class}}',
            ],
          ],
        },
        {
          title: 'Latency',
          description: 'Time of API requests without those that carry bytes. p99 above 0.5 s breaks the objective.',
          unit: 's',
          queries: percentiles(`http_server_request_duration_seconds_bucket{${API}}`),
        },
        {
          title: 'Slowest routes',
          description: 'The five routes with the highest 99th percentile.',
          unit: 's',
          queries: [
            [
              `topk(5, histogram_quantile(0.99, ${rateBy('le, http_route', 'http_server_request_duration_seconds_bucket{service="gateway", NS}')}))`,
              '{{http_route}}',
            ],
          ],
        },
        {
          title: 'Failing routes',
          description: 'The five routes with most 5xx a second.',
          unit: 'reqps',
          queries: [[`topk(5, ${rateBy('http_route', failed)} or 0 * ${rateBy('http_route', all)})`, '{{http_route}}']],
        },
        {
          title: 'Credentials',
          description:
            'Decisions about credentials a second. Refused ones rising: somebody guesses, or a key was revoked.',
          unit: 'reqps',
          queries: [[rateBy('method, outcome', 'tideport_auth_decisions_total{NS}'), '{{method}} {{outcome}}']],
        },
        {
          title: 'Rate limited',
          description: 'Requests answered 429 a second, by the limit that they met.',
          unit: 'reqps',
          queries: [[rateBy('limit', 'tideport_rate_limited_total{NS}'), '{{limit}}']],
        },
      ],
    },
    {
      title: 'Behind it',
      panels: [
        {
          title: 'Requests by service',
          description: 'Requests that each service served a second.',
          unit: 'reqps',
          queries: [[rateBy('service', 'http_server_request_duration_seconds_count{NS}'), '{{service}}']],
        },
        {
          title: 'Latency by service, p99',
          description: 'The 99th percentile of each service. The gateway includes those behind it, and bytes.',
          unit: 's',
          queries: [slowestBy('service', 'http_server_request_duration_seconds_bucket{NS}')],
        },
        {
          title: 'Calls to others',
          description: 'Calls a second to other services, the storage tiers and webhook receivers, by what came back.',
          unit: 'reqps',
          queries: [
            [rateBy('peer, outcome', 'http_client_request_duration_seconds_count{NS}'), '{{peer}} {{outcome}}'],
          ],
        },
        {
          title: 'Time of calls to others, p99',
          description: 'The 99th percentile until an answer began.',
          unit: 's',
          queries: [slowestBy('peer', 'http_client_request_duration_seconds_bucket{NS}')],
        },
        {
          title: 'Downloads',
          description: 'Files that are being sent now: by the gateway, and by files out of each tier.',
          unit: 'short',
          queries: [['sum by (service, tier) (tideport_open_streams{NS})', '{{service}} {{tier}}']],
        },
        {
          title: 'Processes left out because they hang',
          description: 'Processes that a gateway sends nothing, since they answer nobody.',
          unit: 'short',
          queries: [['sum by (upstream) (tideport_upstream_hung{NS})', '{{upstream}}']],
        },
      ],
    },
  ],
}
