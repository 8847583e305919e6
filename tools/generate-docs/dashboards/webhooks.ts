import { dashboard } from './dashboard.ts'

export const webhooks = dashboard(
  'tideport-webhooks',
  'Tideport / Webhooks',
  'Whether receivers hear of events in time, and whether it is they or we who fail.',
  `
# Deliveries

Attempts [ops, stacked]
Attempts a second by outcome. \`failed\` is tried again, \`given_up\` is not.
sum by (outcome) (rate(tideport_webhook_deliveries_total{NS}[$__rate_interval]))

Share of attempts that fail [percentunit, max 1]
Above one half for 15 min opens a ticket. One receiver that is down can do that on a small system.
sum(rate(tideport_webhook_deliveries_total{outcome=~"failed|given_up", NS}[$__rate_interval])) / sum(rate(tideport_webhook_deliveries_total{outcome!="test", NS}[$__rate_interval])) => failing

Attempts by event [ops, stacked]
Attempts a second by the event they tell of.
sum by (event) (rate(tideport_webhook_deliveries_total{NS}[$__rate_interval]))

From event to first attempt [s]
Until the first attempt ended, at webhooks that do not fail; 99 % within 60 s is promised.
histogram_quantile(0.50, sum by (le) (rate(tideport_webhook_first_attempt_age_seconds_bucket{NS}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(tideport_webhook_first_attempt_age_seconds_bucket{NS}[$__rate_interval]))) => p99

Oldest delivery that is due [s]
Age of the oldest that nothing holds back but us. Rising: too few processes, or the database is slow.
max(tideport_webhook_oldest_pending_age_seconds{NS}) => oldest

Webhooks switched off [short]
Webhooks that were switched off because their receiver failed for days or answered 410.
max(tideport_webhooks_disabled{NS}) => webhooks

Audit entries that auth does not have [short]
\`waiting\` falls once auth and NATS are there; \`refused\` opens a ticket after 5 min.
max by (state) (tideport_audit_entries{NS})

# Receivers

Time of an attempt, p99 [s]
From the connection to the end of the answer, by what came of it.
histogram_quantile(0.99, sum by (le, outcome) (rate(tideport_webhook_delivery_duration_seconds_bucket{NS}[$__rate_interval]))) => {{outcome}}

Answers of receivers [ops]
By class of status; \`failed\`: no answer at all.
sum by (outcome) (rate(http_client_request_duration_seconds_count{peer="webhook_receiver", NS}[$__rate_interval]))

Looking up names [ops]
\`resolver_down\` and \`busy\` are our own fault; the others are of the names.
sum by (outcome) (rate(tideport_webhook_name_lookups_total{NS}[$__rate_interval]))

# Fan-out

Events that wait for the fan-out [short]
Messages in EVENTS that no delivery was made of yet.
max(tideport_consumer_lag{consumer="webhooks-fan-out", NS}) => events

Time to make deliveries of an event [s]
From taking the message to settling it, in batches.
histogram_quantile(0.50, sum by (le) (rate(messaging_process_duration_seconds_bucket{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(messaging_process_duration_seconds_bucket{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval]))) => p99

Events taken [ops]
Events a second that deliveries were made of.
sum(rate(messaging_client_consumed_messages_total{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval])) => events
`,
)
