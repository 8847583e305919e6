import { useSignal } from '@preact/signals'
import { listOperatorEvents, listOperatorWebhookEvents, type OperatorEvent } from '@tideport/sdk'
import { client } from '../../../api/client.ts'
import { usePages } from '../../../api/use-pages.ts'
import { dateTime } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import { Facts } from '../../../ui/facts.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Row } from '../../../ui/row.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { OperatorPage } from '../operator-page.tsx'

/** Each service keeps what was asked of it. */
const logs = { files: listOperatorEvents, deliveries: listOperatorWebhookEvents }
type LogName = keyof typeof logs
const logNames = Object.keys(logs) as LogName[]

/** Who of the operators asked for what. */
export default function LogPage() {
  const t = text.value.operator
  const name = useSignal<LogName>('files')
  return (
    <OperatorPage lead={t.logLead}>
      <div class="filters">
        <SelectField
          label={t.what}
          value={name.value}
          choices={logNames.map((value) => ({ value, label: t.logOf[value] }))}
          onChange={(value) => {
            name.value = value as LogName
          }}
        />
      </div>
      <Log key={name.value} name={name.value} />
    </OperatorPage>
  )
}

function Log({ name }: { name: LogName }) {
  const t = text.value.operator
  const pages = usePages(['operator', 'log', name], ({ cursor, signal }) =>
    logs[name](client(), { cursor }, { signal }).page(),
  )
  return (
    <Listing
      label={t.tabs.log}
      pages={pages}
      items={({ events }) => events}
      empty={{ title: t.noLog, text: t.noLogText }}
    >
      {(event) => <LogRow key={event.id} event={event} />}
    </Listing>
  )
}

function LogRow({ event }: { event: OperatorEvent }) {
  const t = text.value
  const { kind, at, subject, accountId, clientAddress, requestId, details } = event
  return (
    <Row title={kind}>
      <p class="hint">
        {dateTime(at)} · <bdi>{subject ?? t.operator.nobody}</bdi>
        {clientAddress !== null && ` · ${t.audit.from(clientAddress)}`}
      </p>
      <details class="fold">
        <summary aria-label={t.operator.detailsOf(kind)}>{t.operator.details}</summary>
        <Facts
          facts={[
            [t.operator.account, accountId],
            [t.audit.request, requestId],
            ...Object.entries(details).map(
              ([name, value]) => [name, value === null ? null : <bdi key={name}>{String(value)}</bdi>] as const,
            ),
          ]}
        />
      </details>
    </Row>
  )
}
