import type { Dashboard } from './dashboard.ts'

const HPA = 'horizontalpodautoscaler=~".*(sync|eviction|webhooks)", NS'
const CONSUMER = 'is_consumer_leader="true", consumer_name=~"(store|prove)-.+|rehydrate|evict|webhooks-fan-out"'

export const scaling: Dashboard = {
  uid: 'tideport-scaling',
  title: 'Tideport / Scaling',
  description: 'Whether there are as many workers as the backlog asks for, and whether the autoscaler works.',
  rows: [
    {
      title: 'Workers and backlog',
      panels: [
        {
          title: 'Processes',
          description: 'Processes that take the messages of each consumer. 0 with a backlog pages.',
          unit: 'short',
          queries: [['tideport:consumer_processes{NS}', '{{consumer}}']],
        },
        {
          title: 'Backlog',
          description: 'Messages that wait or are being handled.',
          unit: 'short',
          queries: [['tideport:consumer_lag{NS}', '{{consumer}}']],
        },
        {
          title: 'Backlog for each process',
          description: 'What KEDA compares with lagThreshold (24 for sync).',
          unit: 'short',
          queries: [
            ['tideport:consumer_lag{NS} / on (namespace, consumer) tideport:consumer_processes{NS}', '{{consumer}}'],
          ],
        },
        {
          title: 'Sync slots',
          description: 'Files that all sync workers can be at work on, and are.',
          unit: 'short',
          queries: [
            ['sum(tideport_sync_slots{NS})', 'slots'],
            ['sum(tideport_sync_slots_busy{NS})', 'busy'],
          ],
        },
        {
          title: 'Share of sync slots that are busy',
          description: 'Of each process at most and on average; what the HPA scales by without KEDA.',
          unit: 'percentunit',
          max: 1,
          queries: [
            ['max(tideport_sync_slots_busy_ratio{NS})', 'busiest'],
            ['avg(tideport_sync_slots_busy_ratio{NS})', 'average'],
          ],
        },
        {
          title: 'Synced and evicted',
          description: 'Files a second: whether more workers get more done.',
          unit: 'ops',
          queries: [
            ['sum(rate(tideport_file_transitions_total{to="synced", NS}[$__rate_interval]))', 'synced'],
            ['sum(rate(tideport_evicted_files_total{NS}[$__rate_interval]))', 'evicted'],
          ],
        },
      ],
    },
    {
      title: 'Autoscaler',
      panels: [
        {
          title: 'Replicas: current and desired',
          description:
            'What the autoscaler wants and has, by kube-state-metrics. Apart for long: pods cannot be scheduled.',
          unit: 'short',
          width: 12,
          queries: [
            [
              `max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_current_replicas{${HPA}})`,
              '{{horizontalpodautoscaler}} current',
            ],
            [
              `max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_desired_replicas{${HPA}})`,
              '{{horizontalpodautoscaler}} desired',
            ],
            [
              `max by (horizontalpodautoscaler) (kube_horizontalpodautoscaler_spec_max_replicas{${HPA}})`,
              '{{horizontalpodautoscaler}} max',
            ],
          ],
        },
        {
          title: 'KEDA: what it measures',
          description: 'The backlog as the scaler sees it. Unlike the one above: it reaches a follower, or nothing.',
          unit: 'short',
          width: 12,
          queries: [
            ['max by (scaledObject) (keda_scaler_metrics_value{scaledObject=~".*tideport.*"})', '{{scaledObject}}'],
          ],
        },
        {
          title: 'KEDA: errors',
          description:
            'Errors of scalers and of scaled objects a second. With errors for long its fallback replicas hold.',
          unit: 'ops',
          queries: [
            [
              'sum by (scaledObject) (rate(keda_scaler_detail_errors_total{scaledObject=~".*tideport.*"}[$__rate_interval]))',
              '{{scaledObject}} scaler',
            ],
            [
              'sum by (scaledObject) (rate(keda_scaled_object_errors_total{scaledObject=~".*tideport.*"}[$__rate_interval]))',
              '{{scaledObject}}',
            ],
          ],
        },
        {
          title: 'KEDA: active and paused',
          description: '1: the scaler is active; 1: scaling was paused by an annotation.',
          unit: 'short',
          max: 1,
          queries: [
            ['max by (scaledObject) (keda_scaler_active{scaledObject=~".*tideport.*"})', '{{scaledObject}} active'],
            [
              'max by (scaledObject) (keda_scaled_object_paused{scaledObject=~".*tideport.*"})',
              '{{scaledObject}} paused',
            ],
          ],
        },
        {
          title: 'KEDA: time to measure',
          description: 'Time of asking NATS for the backlog.',
          unit: 's',
          queries: [
            [
              'max by (scaledObject) (keda_scaler_metrics_latency_seconds{scaledObject=~".*tideport.*"})',
              '{{scaledObject}}',
            ],
          ],
        },
      ],
    },
    {
      title: 'As the NATS exporter tells it',
      panels: [
        {
          title: 'Waiting and under way',
          description: 'Messages of the leader of each consumer; their sum is the backlog above.',
          unit: 'short',
          queries: [
            [`max by (consumer_name) (jetstream_consumer_num_pending{${CONSUMER}})`, '{{consumer_name}} waiting'],
            [`max by (consumer_name) (jetstream_consumer_num_ack_pending{${CONSUMER}})`, '{{consumer_name}} under way'],
          ],
        },
        {
          title: 'Pulls that wait for messages',
          description: 'Open pulls of idle workers. 0 with idle workers: they have lost the broker.',
          unit: 'short',
          queries: [[`max by (consumer_name) (jetstream_consumer_num_waiting{${CONSUMER}})`, '{{consumer_name}}']],
        },
        {
          title: 'Redelivered and not acknowledged yet',
          description: 'Messages that were given out more than once and are not settled.',
          unit: 'short',
          queries: [[`max by (consumer_name) (jetstream_consumer_num_redelivered{${CONSUMER}})`, '{{consumer_name}}']],
        },
      ],
    },
  ],
}
