import type { OperatorEvent } from '@tideport/sdk'
import { describeError } from '../../../api/describe-error.ts'
import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Facts, isolatedFacts } from '../../../ui/facts.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Row } from '../../../ui/row.tsx'
import { OperatorPage } from '../operator-page.tsx'
import { missingLogs, readLogsAnew, useOperatorLog } from './log-queries.ts'

export default function LogPage() {
  const t = text.value.operator
  return (
    <OperatorPage lead={t.logLead}>
      <Missing />
      <Listing label={t.tabs.log} pages={useOperatorLog()} empty={{ title: t.noLog, text: t.noLogText }}>
        {(event) => <LogRow key={event.id} event={event} />}
      </Listing>
    </OperatorPage>
  )
}

function Missing() {
  const t = text.value
  const missing = missingLogs.value
  return (
    <div class="operator-missing" role="status">
      {missing.map(({ log, error }) => (
        <p key={log} class="form-error">
          {t.operator.logMissing[log](describeError(error))}
        </p>
      ))}
      {missing.length > 0 && <Button onClick={() => void readLogsAnew()} text={t.app.retry} />}
    </div>
  )
}

function LogRow({ event }: { event: OperatorEvent }) {
  const t = text.value
  const { kind, at, subject, accountId, clientAddress, requestId, details } = event
  return (
    <Row title={kind}>
      <p class="hint">
        {dateTime(at)} · <bdi>{subject ?? t.operator.owner}</bdi>
        {clientAddress !== null && ` · ${t.audit.from(clientAddress)}`}
      </p>
      <details class="fold">
        <summary aria-label={t.operator.detailsOf(kind)}>{t.operator.details}</summary>
        <Facts
          facts={[
            [t.app.account, accountId],
            [t.audit.request, requestId],
            ...isolatedFacts(
              Object.entries(details).map(([name, value]) => [name, value === null ? null : String(value)]),
            ),
          ]}
        />
      </details>
    </Row>
  )
}
