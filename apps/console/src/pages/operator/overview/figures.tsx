import type { OperatorOverview } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { bytes, duration, number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Table } from '../../../ui/table.tsx'
import { useDeadDeliveries } from './overview-queries.ts'

const states = ['uploading', 'hot', 'synced', 'cold', 'error'] as const

export function Figures({ overview }: { overview: OperatorOverview }) {
  return (
    <div class="operator-figures">
      <FilesByState overview={overview} />
      <DueWork overview={overview} />
      <Besides overview={overview} />
    </div>
  )
}

function FilesByState({ overview: { files, oldestSeconds } }: { overview: OperatorOverview }) {
  const { app, operator: t } = text.value
  const rows = states.map((state) => {
    const oldest = state === 'cold' ? undefined : oldestSeconds?.[state]
    return [
      text.value.files.states[state],
      files === null ? t.unknown : number(files[state]),
      oldest === undefined || oldest === 0 ? '–' : duration(oldest),
    ] as const
  })
  return (
    <section class="section">
      <h2>{t.files}</h2>
      <p class="hint">{t.filesHint}</p>
      <Table label={t.files} columns={[app.state, app.files, t.oldest]} rows={rows} />
    </section>
  )
}

function DueWork({ overview: { due } }: { overview: OperatorOverview }) {
  const t = text.value.operator
  const rows = (due ?? [])
    .toSorted((a, b) => b.oldestSeconds - a.oldestSeconds)
    .map(({ queue, oldestSeconds }) => [queue, oldestSeconds === 0 ? t.nothingWaits : duration(oldestSeconds)] as const)
  return (
    <section class="section">
      <h2>{t.due}</h2>
      {due === null ? <p>{t.unknown}</p> : <Table label={t.due} columns={[t.queue, t.waits]} rows={rows} />}
    </section>
  )
}

function Besides({ overview: { hotBytes, jobs, events } }: { overview: OperatorOverview }) {
  const t = text.value.operator
  const { data: deliveries } = useDeadDeliveries()
  const waiting = (count: number, seconds: number) =>
    seconds < 1 ? number(count) : `${number(count)} · ${duration(seconds)}`
  return (
    <section class="section">
      <h2>{t.more}</h2>
      <Facts
        facts={[
          [t.hotBytes, hotBytes === null ? t.unknown : bytes(hotBytes)],
          [t.jobsOpen, jobs === null ? t.unknown : waiting(jobs.open, jobs.oldestSeconds)],
          [t.eventsWaiting, events === null ? t.unknown : waiting(events.unpublished, events.oldestSeconds)],
          [t.deadDeliveries, deliveries === undefined ? t.unknown : <DeadDeliveries key="" {...deliveries} />],
          [
            t.eventsToResend,
            events !== null && events.resendLeftSeconds > 0 ? duration(events.resendLeftSeconds) : null,
          ],
        ]}
      />
    </section>
  )
}

/** Not listed as a problem: the receivers failed, not the installation. */
function DeadDeliveries({ count, hasMore }: { count: number; hasMore: boolean }) {
  const shown = hasMore ? text.value.operator.orMore(number(count)) : number(count)
  return count === 0 ? shown : <Link href="/operator/dead-letters?kind=deliveries">{shown}</Link>
}
