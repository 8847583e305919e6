import type { FileCopy } from '@tideport/sdk'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Section } from './section.tsx'
import { Value } from './value.tsx'

/** The file's copies, network by network, and how they were checked. */
export function Copies({ copies }: { copies: readonly FileCopy[] }) {
  const t = text.value.file
  return (
    <Section title={t.copies}>
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
  const { network, driver, state, checks } = copy
  const facts = [
    [t.provedAt, copy.provedAt],
    [t.checkedAt, copy.checkedAt],
    [t.storedAt, copy.storedAt],
    [t.leaseUntil, copy.leaseExpiresAt],
  ] as const
  return (
    <>
      <h3 class="file-copy-head">
        <bdi>{network}</bdi>
        <span class={`badge badge-copy-${state}`}>{t.copyStates[state]}</span>
      </h3>
      <p class="hint">{t.copyTexts[state]}</p>
      <dl class="file-values">
        {driver !== null && driver !== network && <Value label={t.driver} value={driver} />}
        {facts.map(([label, at]) => at !== null && <Value key={label} label={label} value={dateTime(at)} />)}
        {checks.ok + checks.failed > 0 && (
          <Value label={t.checks} value={t.checked(number(checks.ok), number(checks.failed))} />
        )}
        {copy.blobId !== null && <Value label={t.blobId} value={copy.blobId} copies />}
      </dl>
    </>
  )
}
