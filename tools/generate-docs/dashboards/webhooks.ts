import type { Dashboard } from './dashboard.ts'
import { percentiles, rateBy, slowestBy } from './queries.ts'

const attempts = 'tideport_webhook_deliveries_total'

export const webhooks: Dashboard = {
  uid: 'tideport-webhooks',
  title: 'Tideport / Webhooks',
  description: 'Whether receivers hear of events in time, and whether it is they or we who fail.',
  rows: [
    {
      title: 'Deliveries',
      panels: [
        {
          title: 'Attempts',
          description: 'Attempts a second by outcome. `failed` is tried again, `given_up` is not.',
          unit: 'ops',
          isStacked: true,
          queries: [[rateBy('outcome', `${attempts}{NS}`), '{{outcome}}']],
        },
        {
          title: 'Share of attempts that fail',
          description:
            'Above one half for 15 min opens a ticket. One receiver that is down can do that on a small system.',
          unit: 'percentunit',
          max: 1,
          queries: [
            [
              `sum(rate(${attempts}{outcome=~"failed|given_up", NS}[$__rate_interval])) / sum(rate(${attempts}{outcome!="test", NS}[$__rate_interval]))`,
              'failing',
            ],
          ],
        },
        {
          title: 'Attempts by event',
          description: 'Attempts a second by the event they tell of.',
          unit: 'ops',
          isStacked: true,
          queries: [[rateBy('event', `${attempts}{NS}`), '{{event}}']],
        },
        {
          title: 'From event to first attempt',
          description: 'Until the first attempt ended, at webhooks that do not fail; 99 % within 60 s is promised.',
          unit: 's',
          queries: percentiles('tideport_webhook_first_attempt_age_seconds_bucket{NS}'),
        },
        {
          title: 'Oldest delivery that is due',
          description:
            'Age of the oldest that nothing holds back but us. Rising: too few processes, or the database is slow.',
          unit: 's',
          queries: [['max(tideport_webhook_oldest_pending_age_seconds{NS})', 'oldest']],
        },
        {
          title: 'Webhooks switched off',
          description: 'Webhooks that were switched off because their receiver failed for days or answered 410.',
          unit: 'short',
          queries: [['max(tideport_webhooks_disabled{NS})', 'webhooks']],
        },
        {
          title: 'Audit entries that auth does not have',
          description: '`waiting` falls once auth and NATS are there; `refused` opens a ticket after 5 min.',
          unit: 'short',
          queries: [['max by (state) (tideport_audit_entries{NS})', '{{state}}']],
        },
      ],
    },
    {
      title: 'Receivers',
      panels: [
        {
          title: 'Time of an attempt, p99',
          description: 'From the connection to the end of the answer, by what came of it.',
          unit: 's',
          queries: [slowestBy('outcome', 'tideport_webhook_delivery_duration_seconds_bucket{NS}')],
        },
        {
          title: 'Answers of receivers',
          description: 'By class of status; `failed`: no answer at all.',
          unit: 'ops',
          queries: [
            [
              rateBy('outcome', 'http_client_request_duration_seconds_count{peer="webhook_receiver", NS}'),
              '{{outcome}}',
            ],
          ],
        },
        {
          title: 'Looking up names',
          description: '`resolver_down` and `busy` are our own fault; the others are of the names.',
          unit: 'ops',
          queries: [[rateBy('outcome', 'tideport_webhook_name_lookups_total{NS}'), '{{outcome}}']],
        },
      ],
    },
    {
      title: 'Fan-out',
      panels: [
        {
          title: 'Events that wait for the fan-out',
          description: 'Messages in EVENTS that no delivery was made of yet.',
          unit: 'short',
          queries: [['max(tideport_consumer_lag{consumer="webhooks-fan-out", NS})', 'events']],
        },
        {
          title: 'Time to make deliveries of an event',
          description: 'From taking the message to settling it, in batches.',
          unit: 's',
          queries: percentiles(
            'messaging_process_duration_seconds_bucket{messaging_consumer_group_name="webhooks-fan-out", NS}',
          ),
        },
        {
          title: 'Events taken',
          description: 'Events a second that deliveries were made of.',
          unit: 'ops',
          queries: [
            [
              'sum(rate(messaging_client_consumed_messages_total{messaging_consumer_group_name="webhooks-fan-out", NS}[$__rate_interval]))',
              'events',
            ],
          ],
        },
      ],
    },
  ],
}
