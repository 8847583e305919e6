import type { FileCopy } from '@tideport/sdk'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Section, Values } from './values.tsx'

export function Copies({ copies }: { copies: readonly FileCopy[] }) {
  const { app, file: t } = text.value
  return (
    <Section title={app.copies}>
      {copies.length === 0 && <p class="hint">{t.noCopies}</p>}
      <ul class="file-copies">
        {copies.map((copy) => (
          <li key={copy.network}>
            <Copy copy={copy} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Copy({ copy }: { copy: FileCopy }) {
  const t = text.value.file
  const { network, driver, state, checks, provedAt, checkedAt, storedAt, leaseExpiresAt, blobId } = copy
  return (
    <>
      <h3 class="file-copy-head">
        <bdi>{network}</bdi>
        <span class={`badge badge-copy-${state}`}>{t.copyStates[state]}</span>
      </h3>
      <p class="hint">{t.copyTexts[state]}</p>
      <Values
        values={[
          driver !== network && [t.driver, driver],
          [t.provedAt, provedAt && dateTime(provedAt)],
          [t.checkedAt, checkedAt && dateTime(checkedAt)],
          [t.storedAt, storedAt && dateTime(storedAt)],
          [t.leaseUntil, leaseExpiresAt && dateTime(leaseExpiresAt)],
          checks.ok + checks.failed > 0 && [t.checks, t.checked(number(checks.ok), number(checks.failed))],
          [t.blobId, blobId, 'copied'],
        ]}
      />
    </>
  )
}
