import { listDeliveries, type WebhookDelivery } from '@tideport/sdk'
import { useState } from 'preact/hooks'
import { usePages } from '../../api/use-pages.ts'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { asChoices, choicesOf, SelectField } from '../../ui/field.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Row } from '../../ui/row.tsx'
import { useDialog } from '../../ui/use-dialog.tsx'
import { readList } from '../resource/read-list.ts'
import { DeliveryDialog, Outcome, pendingMs } from './delivery-dialog.tsx'
import { type EventType, eventTypes, isPending, webhooksKey } from './webhook.ts'

const outcomes = ['any', 'good', 'bad'] as const

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { app, webhooks: t } = text.value
  const [event, setEvent] = useState('')
  const [outcome, setOutcome] = useState<string>('any')
  const { dialog, ask } = useDialog()
  const filter = {
    webhookId,
    event: (event || undefined) as EventType | undefined,
    success: outcome === 'any' ? undefined : outcome === 'good',
  }
  const pages = usePages(
    [...webhooksKey, webhookId, 'deliveries', filter],
    readList('deliveries', listDeliveries, filter),
    { everyMs: (deliveries) => deliveries.some(isPending) && pendingMs },
  )
  return (
    <section class="section">
      <h2>{t.deliveries}</h2>
      <div class="filters">
        <SelectField
          label={app.event}
          value={event}
          choices={[{ value: '', label: t.anyEvent }, ...asChoices(eventTypes)]}
          onChange={setEvent}
        />
        <SelectField
          label={app.outcome}
          value={outcome}
          choices={choicesOf(outcomes, t.outcomes)}
          onChange={setOutcome}
        />
      </div>
      <Listing label={t.deliveries} pages={pages} empty={{ title: t.noDeliveries, text: t.noDeliveriesText }}>
        {(delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            onOpen={() =>
              ask((close) => <DeliveryDialog webhookId={webhookId} deliveryId={delivery.id} onClose={close} />)
            }
          />
        )}
      </Listing>
      {dialog}
    </section>
  )
}

function DeliveryRow({ delivery, onOpen }: { delivery: WebhookDelivery; onOpen: () => void }) {
  const t = text.value.webhooks
  const { event, attempts, createdAt, nextAttemptAt, success } = delivery
  const at = dateTime(createdAt)
  return (
    <Row
      title={event}
      badges={[<Outcome key="outcome" {...delivery} />]}
      actions={[{ label: t.show, of: `${event}, ${at}`, run: onOpen }]}
    >
      <p class="hint">
        {at} · {t.attempts(attempts)}
        {!success && nextAttemptAt !== null && ` · ${t.nextAttempt(dateTime(nextAttemptAt))}`}
      </p>
    </Row>
  )
}
