import { cancelRun, listRuns, type OperatorRun } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { toast } from '../../../api/toasts.ts'
import { usePages } from '../../../api/use-pages.ts'
import { bytes, dateTime, number } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Row } from '../../../ui/row.tsx'
import { type Asked, useDialog } from '../../../ui/use-dialog.tsx'
import { isOver, stateBadge, watched } from '../../jobs/progress.ts'
import { CommandButton } from '../../resource/command-button.tsx'
import { readList } from '../../resource/read-list.ts'
import { OperatorPage } from '../operator-page.tsx'
import { changes, StartRunDialog } from './start-run-dialog.tsx'

export default function RunsPage() {
  const t = text.value.operator
  const { dialog, ask } = useDialog()
  const pages = usePages<OperatorRun>(changes, readList('runs', listRuns, {}), watched)
  const start = () => ask((close) => <StartRunDialog onClose={close} />)
  return (
    <OperatorPage lead={t.runsLead} actions={<CommandButton look="main" keys="n" label={t.start} run={start} />}>
      <Listing label={t.tabs.runs} pages={pages} empty={{ title: t.noRuns, text: t.noRunsText }}>
        {(run) => <RunRow key={run.id} run={run} onCancel={() => ask(cancelForm(run))} />}
      </Listing>
      {dialog}
    </OperatorPage>
  )
}

function cancelForm({ id, kind }: OperatorRun): Asked<OperatorRun> {
  const { app, operator: t } = text.value
  return {
    title: t.cancelTitle(t.runNames[kind]),
    text: t.cancelText,
    submit: app.stop,
    danger: true,
    run: () => cancelRun(client(), { runId: id }),
    changes,
    onDone: ({ state }) => toast(state === 'cancelled' ? t.cancelled : t.wasOver),
  }
}

function RunRow({ run, onCancel }: { run: OperatorRun; onCancel: () => void }) {
  const t = text.value
  const { kind, state, dryRun, error, findings } = run
  const name = t.operator.runNames[kind]
  const cancel = { label: t.app.stop, of: name, run: onCancel }
  return (
    <Row
      title={name}
      badges={[stateBadge(run, t.jobs.states), dryRun ? t.operator.dryRun : t.operator.isReal[kind]]}
      facts={[...progressOf(run), ...aboutRun(run)]}
      actions={[!isOver(run) && cancel]}
      more={findings.length > 0 && <Findings findings={findings} />}
    >
      {state === 'running' && <progress aria-label={t.app.progressOf(name)} />}
      {error !== null && <p class="form-error">{isOver(run) ? error : t.operator.retrying(error)}</p>}
    </Row>
  )
}

type Fact = readonly [name: string, value: string | null]

function progressOf({ counts, place, sample }: OperatorRun): Fact[] {
  const t = text.value.operator
  const found = Object.entries(counts).map(
    ([word, count]): Fact => [
      t.words[word as keyof typeof t.words] ?? word,
      word === 'bytes' ? bytes(count) : number(count),
    ],
  )
  return [...found, [sample === null ? t.cameTo : t.filesLeft, place]]
}

function aboutRun({ after, sample, network, subject, accountId, ...run }: OperatorRun): Fact[] {
  const { app, operator: t } = text.value
  const { createdAt, startedAt, updatedAt, finishedAt } = run
  return [
    [t.after, after],
    [t.sample, sample === null ? null : number(sample)],
    [t.onNetwork, network],
    [t.startedBy, subject ?? accountId],
    [app.asked, dateTime(createdAt)],
    [t.begun, startedAt && dateTime(startedAt)],
    [t.told, finishedAt === null ? dateTime(updatedAt) : null],
    [app.finished, finishedAt && dateTime(finishedAt)],
  ]
}

function Findings({ findings }: Pick<OperatorRun, 'findings'>) {
  const t = text.value.operator
  return (
    <details class="fold">
      <summary>{t.findings(findings.length)}</summary>
      <p class="hint">{t.findingsMore}</p>
      <ul class="operator-findings" aria-label={t.findings(findings.length)}>
        {findings.map((finding, index) => (
          <li key={index}>
            <Facts
              facts={Object.entries(finding).map(([name, value]) => [name, <bdi key={name}>{value}</bdi>] as const)}
            />
          </li>
        ))}
      </ul>
    </details>
  )
}
