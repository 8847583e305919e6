import { cancelJob, type Job } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { describeRefusal } from '../../text/describe-refusal.ts'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Row } from '../../ui/row.tsx'
import type { Ask, Asked } from '../../ui/use-dialog.tsx'
import { isOver, stateBadge } from './progress.ts'

export function JobRow({ job, vaultName, ask }: { job: Job; vaultName: (vaultId: string) => string; ask: Ask }) {
  const { app, jobs: t } = text.value
  const { kind, state, vaultId, prefix, to, toVaultId, done, failed, errorCode, error, createdAt, finishedAt } = job
  const name = t.kinds[kind]
  const vault = (id: string | null) =>
    id && (
      <Link href={`/vaults/${id}`}>
        <bdi>{vaultName(id)}</bdi>
      </Link>
    )
  return (
    <Row
      title={name}
      badges={[stateBadge(job, t.states)]}
      facts={[
        [app.vault, vault(vaultId)],
        [app.folder, prefix && <bdi>{prefix}</bdi>],
        [t.toVault, vault(toVaultId)],
        [t.to, to && <bdi>{to}</bdi>],
        [t.done, number(done)],
        [t.failed, failed === 0 ? null : number(failed)],
        [app.asked, dateTime(createdAt)],
        [app.finished, finishedAt && dateTime(finishedAt)],
      ]}
      actions={[!isOver(job) && { label: app.stop, of: name, run: () => ask(cancelForm(job)) }]}
      more={failed > 0 && <Failures job={job} />}
    >
      {/* The number of files is unknown until the end. */}
      {state === 'running' && <progress aria-label={app.progressOf(name)} />}
      {error !== null && <p class="form-error">{describeRefusal(errorCode, error)}</p>}
    </Row>
  )
}

function Failures({ job: { failures, failed } }: { job: Job }) {
  const t = text.value.jobs
  return (
    <details class="fold">
      <summary>{t.failures}</summary>
      <ul>
        {failures.map(({ fileId, path, code }) => (
          <li key={fileId}>
            <bdi>{path}</bdi> <code>{code}</code>
          </li>
        ))}
      </ul>
      {failed > failures.length && <p class="hint">{t.moreFailures(number(failed - failures.length))}</p>}
    </details>
  )
}

function cancelForm({ id, kind }: Job): Asked<Job> {
  const { app, jobs: t } = text.value
  return {
    title: t.cancelTitle(t.kinds[kind]),
    text: t.cancelText,
    submit: app.stop,
    danger: true,
    run: () => cancelJob(client(), { jobId: id }),
    changes: ['jobs'],
    onDone: ({ state }) => toast(state === 'cancelled' ? t.cancelled : t.wasOver),
  }
}
