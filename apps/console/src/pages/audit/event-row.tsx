import type { AccountEvent, FileEvent } from '@tideport/sdk'
import { dateTime } from '../../text/format.ts'
import { shownDetail } from '../../text/shown-detail.ts'
import { text } from '../../text/text.ts'
import { Facts } from '../../ui/facts.tsx'
import { Row } from '../../ui/row.tsx'

type AnyEvent = AccountEvent | FileEvent

/** What was done, to what, by whom, from where. */
export function EventRow({ event }: { event: AnyEvent }) {
  const t = text.value.audit
  const { kind, at, actor, clientAddress } = event
  const name = nameIn(event)
  return (
    <Row title={kind}>
      {name !== undefined && (
        <p class="clamp">
          <bdi>{name}</bdi>
        </p>
      )}
      <p class="hint">
        {dateTime(at)} · <bdi>{whoDid(actor)}</bdi>
        {clientAddress !== null && ` · ${t.from(clientAddress)}`}
      </p>
      <details class="fold">
        <summary aria-label={t.moreOf(kind)}>{t.more}</summary>
        <AllOf event={event} />
      </details>
    </Row>
  )
}

function AllOf({ event: { subjectId, requestId, actor, details } }: { event: AnyEvent }) {
  const t = text.value.audit
  const told = Object.entries(details).map(
    ([name, value]) => [name, <bdi key={name}>{shownDetail(value)}</bdi>] as const,
  )
  return (
    <Facts
      facts={[
        [t.subject, subjectId],
        [t.request, requestId],
        [t.key, actor.keyId],
        [t.job, actor.jobId],
        [t.link, actor.linkId],
        ...told,
      ]}
    />
  )
}

/** What it was done to, as its owner calls it. */
function nameIn({ details }: AnyEvent): string | undefined {
  const names = [details.filePath, details.fileName, details.vaultName, details.name, details.prefix]
  return names.find((name) => typeof name === 'string' && name !== '') as string | undefined
}

function whoDid({ method, keyPrefix, subject }: AnyEvent['actor']): string {
  const name = text.value.audit.methods[method]
  const which = keyPrefix === null ? subject : `${keyPrefix}…`
  return which === null ? name : `${name} ${which}`
}
