import type { Dashboard } from './dashboard.ts'
import { gauge, slowestBy } from './queries.ts'

type Row = Dashboard['rows'][number]

export const runsOfOperators: Row = {
  title: 'Runs of operators',
  panels: [
    {
      title: 'Under way',
      description: '1 while a reconcile or verify that an operator started is not over.',
      unit: 'short',
      queries: gauge('tideport_operator_runs_open', 'kind'),
    },
    {
      title: 'Given up',
      description: '1 when the one that ended last was given up, until another one ends. Alerts.',
      unit: 'short',
      queries: gauge('tideport_operator_run_failed', 'kind'),
    },
    {
      title: 'Since the last one ended',
      description: '0: none ended within the time that they are kept.',
      unit: 's',
      queries: gauge('tideport_operator_run_ended_age_seconds', 'kind'),
    },
  ],
}

export const jobsOfAccounts: Row = {
  title: 'Jobs of accounts',
  panels: [
    {
      title: 'Jobs of accounts',
      description: 'Moves, copies, exports and so on that are not over, by their kind.',
      unit: 'short',
      isStacked: true,
      queries: gauge('tideport_account_jobs', 'kind'),
    },
    {
      title: 'Oldest job',
      description: 'How long ago the oldest one that is not over was asked for. Exports of large accounts take days.',
      unit: 's',
      queries: gauge('tideport_account_jobs_oldest_age_seconds', 'kind'),
    },
    {
      title: 'Jobs, longest due',
      description:
        'How long a job that no other one keeps waiting has been due without anybody at it. 10 min is an alert.',
      unit: 's',
      queries: gauge('tideport_account_jobs_due_age_seconds', 'kind'),
    },
    {
      title: 'Jobs that ended',
      description:
        'Within an hour. `refused`: what was asked for cannot be done. `cancelled`: by whoever asked. `failed`: a part failed again and again, which opens a ticket.',
      unit: 'short',
      queries: [
        ['sum by (kind, outcome) (increase(tideport_account_jobs_ended_total{NS}[1h]))', '{{kind}} {{outcome}}'],
      ],
    },
    {
      title: 'Batches put off',
      description: 'Parts of jobs that failed and are tried again, within an hour. The log has each.',
      unit: 'short',
      queries: [['sum by (kind) (increase(tideport_account_jobs_put_off_total{NS}[1h]))', '{{kind}}']],
    },
    {
      title: 'Time of a job, p99',
      description: 'From its request to its end, of those that are done.',
      unit: 's',
      queries: [slowestBy('kind', 'tideport_account_job_duration_seconds_bucket{NS}')],
    },
  ],
}
