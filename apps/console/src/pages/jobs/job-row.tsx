import type { Job } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { dateTime, number } from '../../text/format.ts'
import { sayRefusal } from '../../text/say-refusal.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Row } from '../../ui/row.tsx'
import { JobFailures } from './job-failures.tsx'
import { isOver } from './job-queries.ts'

interface JobRowProps {
  job: Job
  vaultName: (vaultId: string) => string
  onCancel: () => void
}

export function JobRow({ job, vaultName, onCancel }: JobRowProps) {
  const t = text.value.jobs
  const { kind, state, vaultId, prefix, to, toVaultId, done, failed, error, createdAt, finishedAt } = job
  const name = t.kinds[kind]
  const actions = !isOver(job) && (
    <Button label={`${t.cancel}: ${name}`} onClick={onCancel}>
      {t.cancel}
    </Button>
  )
  const look = state === 'done' ? 'badge-good' : state === 'failed' ? 'badge-bad' : ''
  return (
    <Row title={name} actions={actions}>
      <p class="badges">
        <span class={`badge ${look}`}>{t.states[state]}</span>
      </p>
      {/* How many files there are is known at the end alone. */}
      {state === 'running' && <progress aria-label={t.progressOf(name)} />}
      {error !== null && <p class="form-error">{sayRefusal(error)}</p>}
      <Facts
        facts={[
          [t.vault, vaultId && <VaultLink id={vaultId} name={vaultName(vaultId)} />],
          [t.prefix, prefix && <bdi>{prefix}</bdi>],
          [t.toVault, toVaultId && <VaultLink id={toVaultId} name={vaultName(toVaultId)} />],
          [t.to, to && <bdi>{to}</bdi>],
          [t.done, number(done)],
          [t.failed, failed === 0 ? null : number(failed)],
          [t.created, dateTime(createdAt)],
          [t.finished, finishedAt && dateTime(finishedAt)],
        ]}
      />
      {failed > 0 && <JobFailures job={job} />}
    </Row>
  )
}

function VaultLink({ id, name }: { id: string; name: string }) {
  return (
    <Link href={`/vaults/${id}`}>
      <bdi>{name}</bdi>
    </Link>
  )
}
