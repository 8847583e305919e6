import type { AccountEvent, FileEvent } from '@tideport/sdk'
import { actorName, dateTime, shownDetail } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Facts, isolatedFacts } from '../../ui/facts.tsx'
import { Row } from '../../ui/row.tsx'

type AnyEvent = AccountEvent | FileEvent

export function EventRow({ event }: { event: AnyEvent }) {
  const { app, audit: t } = text.value
  const { kind, at, actor, clientAddress, subjectId, requestId, details } = event
  const name = nameIn(event)
  return (
    <Row title={kind}>
      {name !== undefined && (
        <p class="clamp">
          <bdi>{name}</bdi>
        </p>
      )}
      <p class="hint">
        {dateTime(at)} · <bdi>{actorName(actor)}</bdi>
        {clientAddress !== null && ` · ${t.from(clientAddress)}`}
      </p>
      <details class="fold">
        <summary aria-label={t.moreOf(kind)}>{t.more}</summary>
        <Facts
          facts={[
            [t.subject, subjectId],
            [t.request, requestId],
            [app.apiKey, actor.keyId],
            [t.job, actor.jobId],
            [t.link, actor.linkId],
            ...isolatedFacts(Object.entries(details).map(([field, value]) => [field, shownDetail(value)])),
          ]}
        />
      </details>
    </Row>
  )
}

function nameIn({ details }: AnyEvent): string | undefined {
  const names = [details.filePath, details.fileName, details.vaultName, details.name, details.prefix]
  return names.find((name) => typeof name === 'string' && name !== '') as string | undefined
}
