import type { Dashboard } from './dashboard.ts'
import { jobsOfAccounts, runsOfOperators } from './jobs.ts'
import { gauge, percentiles, rateBy, slowestBy } from './queries.ts'

export const pipeline: Dashboard = {
  uid: 'tideport-pipeline',
  title: 'Tideport / Pipeline',
  description: 'Files on their way from upload to the storage network, and the messages and events that move them.',
  rows: [
    {
      title: 'States',
      panels: [
        {
          title: 'Files on their way',
          description:
            'Files outside the trash by status, without cold ones. `hot` is the backlog of sync, `synced` waits for its retention.',
          unit: 'short',
          queries: [['max by (status) (tideport_files{status!="cold", NS})', '{{status}}']],
        },
        {
          title: 'Cold files',
          description: 'Files whose only copy is on the storage network.',
          unit: 'short',
          queries: [['max(tideport_files{status="cold", NS})', 'cold']],
        },
        {
          title: 'Oldest file',
          description: 'How long the oldest file has been in its status. `hot` above 15 min pages.',
          unit: 's',
          queries: gauge('tideport_oldest_file_age_seconds', 'status'),
        },
        {
          title: 'Transitions',
          description: 'Changes of status a second.',
          unit: 'ops',
          queries: [[rateBy('from, to', 'tideport_file_transitions_total{NS}'), '{{from}} → {{to}}']],
        },
        {
          title: 'From confirm to synced',
          description: 'How long files waited for their copy; 99 % within 15 min is promised.',
          unit: 's',
          queries: percentiles('tideport_confirm_to_synced_seconds_bucket{NS}'),
        },
        {
          title: 'Longest due',
          description: 'How long the work that waits longest has been due without anybody at it.',
          unit: 's',
          queries: gauge('tideport_due_age_seconds', 'queue'),
        },
        {
          title: 'Claims without an outcome',
          description:
            'The most times in a row that a step of one file or copy was begun and not ended. Above 10 pages, above 20 storing is given up.',
          unit: 'short',
          queries: [['max(tideport_unfinished_claims_max{NS})', 'claims']],
        },
        {
          title: 'Broken promises',
          description: 'Files whose row contradicts itself. Always 0.',
          unit: 'short',
          queries: gauge('tideport_files_invariant_violations', 'rule'),
        },
        {
          title: 'Lost copies',
          description:
            'Copies that a network lost and that are not stored again yet. More than 0 for 15 min is an alert.',
          unit: 'short',
          queries: gauge('tideport_copies_lost', 'network'),
        },
        {
          title: 'Copies that were given up',
          description:
            'Of files that are well otherwise, until somebody has them tried again. More than 0 for 15 min is an alert.',
          unit: 'short',
          queries: [['max(tideport_copies_failed{NS})', 'copies']],
        },
        {
          title: 'Mended copies',
          description:
            'Copies whose bytes were intact and that were mended in place, within an hour. More than a few: something damages the disk.',
          unit: 'short',
          queries: [
            ['sum by (network, mended) (increase(tideport_copies_mended_total{NS}[1h]))', '{{network}} {{mended}}'],
          ],
        },
        {
          title: 'Copies still on networks that are left',
          description:
            'Copies on networks that are being left or are not configured. At 0 the network may be taken away.',
          unit: 'short',
          queries: gauge('tideport_copies_left', 'network'),
        },
        {
          title: 'Cost of these figures',
          description:
            'Time that taking the figures of all files took; they are taken again after twenty times as long.',
          unit: 's',
          queries: [['max(tideport_file_statistics_seconds{NS})', 'seconds']],
        },
      ],
    },
    runsOfOperators,
    {
      title: 'Work',
      panels: [
        {
          title: 'Store attempts',
          description:
            'Attempts a second by outcome. `not_due` is harmless; `gave_up`: a copy that is not tried any more.',
          unit: 'ops',
          queries: [[rateBy('outcome', 'tideport_store_attempts_total{NS}'), '{{outcome}}']],
        },
        {
          title: 'Prove attempts',
          description: 'Attempts a second by outcome. `refused`: by the network’s own answer; `lost`: three times.',
          unit: 'ops',
          queries: [[rateBy('outcome', 'tideport_prove_attempts_total{NS}'), '{{outcome}}']],
        },
        {
          title: 'Evict attempts',
          description: 'Attempts a second by outcome. `waiting`: for copies that are to be proved first.',
          unit: 'ops',
          queries: [[rateBy('outcome', 'tideport_evict_attempts_total{NS}'), '{{outcome}}']],
        },
        {
          title: 'Time of an attempt',
          description: 'How long storing, proving and evicting take.',
          unit: 's',
          queries: [
            ...percentiles('tideport_store_duration_seconds_bucket{NS}', 'store'),
            ...percentiles('tideport_prove_duration_seconds_bucket{NS}', 'prove'),
            ...percentiles('tideport_evict_duration_seconds_bucket{NS}', 'evict'),
          ],
        },
        {
          title: 'Bytes moved',
          description: 'Bytes copied to the storage network, and dropped from the hot tier, a second.',
          unit: 'Bps',
          queries: [
            ['sum(rate(tideport_sync_bytes_total{NS}[$__rate_interval]))', 'copied'],
            ['sum(rate(tideport_evicted_bytes_total{NS}[$__rate_interval]))', 'dropped'],
          ],
        },
        {
          title: 'Hot tier',
          description: 'Bytes of files in the hot tier. It grows as long as less is evicted than is uploaded.',
          unit: 'bytes',
          queries: [['max(tideport_hot_bytes{NS})', 'hot']],
        },
        {
          title: 'Room on the storage networks',
          description: 'Free bytes, and the reserve below which it takes no more copies.',
          unit: 'bytes',
          queries: [
            ['min by (network) (tideport_storage_network_free_bytes{NS})', '{{network}} free'],
            ['max by (network) (tideport_storage_network_reserve_bytes{NS})', '{{network}} reserve'],
          ],
        },
      ],
    },
    {
      title: 'Messages and events',
      panels: [
        {
          title: 'Consumer lag',
          description:
            'Messages that wait for each consumer or are being handled. JOBS has one a file and queue at most.',
          unit: 'short',
          queries: [['max by (consumer) (tideport_consumer_lag{NS})', '{{consumer}}']],
        },
        {
          title: 'Messages settled',
          description: 'What the broker was told a second. `nak` and `expired` come again.',
          unit: 'ops',
          queries: [[rateBy('consumer, result', 'tideport_messages_settled_total{NS}'), '{{consumer}} {{result}}']],
        },
        {
          title: 'Redeliveries',
          description: 'Messages a second that had been given out before: workers died, were too slow or failed.',
          unit: 'ops',
          queries: [[rateBy('consumer', 'tideport_message_redeliveries_total{NS}'), '{{consumer}}']],
        },
        {
          title: 'Time to handle a message, p99',
          description: 'From receiving a message to settling it.',
          unit: 's',
          queries: [slowestBy('messaging_consumer_group_name', 'messaging_process_duration_seconds_bucket{NS}')],
        },
        {
          title: 'Messages sent',
          description: 'Jobs and events that the broker took a second.',
          unit: 'ops',
          queries: [
            [
              rateBy('messaging_destination_name', 'messaging_client_sent_messages_total{NS}'),
              '{{messaging_destination_name}}',
            ],
          ],
        },
        {
          title: 'Events that wait',
          description: 'Events that no relay has published yet.',
          unit: 'short',
          queries: [['max(tideport_events_unpublished{NS})', 'events']],
        },
        {
          title: 'Oldest event that waits',
          description: 'Its age; above 5 min pages. Also how much history is left to send again after a loss.',
          unit: 's',
          queries: [
            ['max(tideport_events_unpublished_oldest_age_seconds{NS})', 'oldest'],
            ['max(tideport_event_resend_left_seconds{NS})', 'history left'],
          ],
        },
        {
          title: 'Events refused',
          description: 'Events an hour that broke their contract and go to nobody. Any opens a ticket.',
          unit: 'short',
          queries: [['sum(increase(tideport_events_refused_total{NS}[1h]))', 'events']],
        },
        {
          title: 'Streams, how full',
          description:
            'Share of its limit that each stream takes. Full, JOBS refuses jobs and EVENTS drops its oldest.',
          unit: 'percentunit',
          max: 1,
          queries: [['max by (stream) (tideport_stream_bytes{NS} / tideport_stream_max_bytes{NS})', '{{stream}}']],
        },
        {
          title: 'Workers that rest',
          description: 'Processes that take no work of one kind, because a network or the hot tier is down.',
          unit: 'short',
          queries: [['sum by (service, needs) (tideport_circuit_open{NS})', '{{service}}: {{needs}}']],
        },
      ],
    },
    jobsOfAccounts,
  ],
}
