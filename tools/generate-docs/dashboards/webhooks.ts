import { dashboard } from './dashboard.ts'

export const webhooks = dashboard(
  'tideport-webhooks',
  'Tideport / Webhooks',
  'Delivery times, and whether failures come from receivers or from Tideport.',
  `
# Deliveries

Attempts [ops, stacked]
Attempts per second by outcome. \`failed\` is retried, \`given_up\` is not.
sum by (outcome) (rate(tideport_webhook_deliveries_total{NS}[$__rate_interval]))

Failure rate [percentunit, max 1]
Share of failed attempts. Above half for 15 min opens a ticket. On a small system, one failing receiver is enough.
sum(rate(tideport_webhook_deliveries_total{outcome=~"failed|given_up", NS}[$__rate_interval])) / sum(rate(tideport_webhook_deliveries_total{outcome!="test", NS}[$__rate_interval])) => failing

Attempts by event [ops, stacked]
Attempts per second by event type.
sum by (event) (rate(tideport_webhook_deliveries_total{NS}[$__rate_interval]))

Event to first attempt [s]
Time until the first attempt completed, for healthy webhooks. Objective: 99 % within 60 s.
histogram_quantile(0.50, sum by (le) (rate(tideport_webhook_first_attempt_age_seconds_bucket{NS}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(tideport_webhook_first_attempt_age_seconds_bucket{NS}[$__rate_interval]))) => p99

Oldest due delivery [s]
Age of the oldest delivery that waits only for Tideport. Rising: too few processes, or a slow database.
max(tideport_webhook_oldest_pending_age_seconds{NS}) => oldest

Disabled webhooks [short]
Webhooks disabled because their receiver failed for days or returned 410.
max(tideport_webhooks_disabled{NS}) => webhooks

Undelivered audit entries [short]
\`waiting\` falls when auth and NATS are available; \`refused\` opens a ticket after 5 min.
max by (state) (tideport_audit_entries{NS})

# Receivers

Attempt duration, p99 [s]
Time from the connection to the end of the response, by outcome.
histogram_quantile(0.99, sum by (le, outcome) (rate(tideport_webhook_delivery_duration_seconds_bucket{NS}[$__rate_interval]))) => {{outcome}}

Receiver responses [ops]
By status class; \`failed\`: no response.
sum by (outcome) (rate(http_client_request_duration_seconds_count{peer="webhook_receiver", NS}[$__rate_interval]))

DNS lookups [ops]
\`resolver_down\` and \`busy\` are problems of this installation; other outcomes concern the name.
sum by (outcome) (rate(tideport_webhook_name_lookups_total{NS}[$__rate_interval]))

# Fan-out

Events waiting for fan-out [short]
Messages in EVENTS without deliveries yet.
max(tideport_consumer_lag{consumer="webhooks-fan-out", NS}) => events

Fan-out time per event [s]
Time from receiving a message to settling it, in batches.
histogram_quantile(0.50, sum by (le) (rate(messaging_process_duration_seconds_bucket{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval]))) => p50
histogram_quantile(0.99, sum by (le) (rate(messaging_process_duration_seconds_bucket{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval]))) => p99

Events fanned out [ops]
Events per second for which deliveries were created.
sum(rate(messaging_client_consumed_messages_total{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval])) => events
`,
)
