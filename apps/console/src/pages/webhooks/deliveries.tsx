import { useSignal } from '@preact/signals'
import { text } from '../../text/text.ts'
import { Listing } from '../../ui/listing.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { useDeliveries } from './delivery-queries.ts'
import { DeliveryRow } from './delivery-row.tsx'
import { type EventType, eventTypes } from './event-types.ts'

const outcomes: Record<string, boolean | undefined> = { any: undefined, good: true, bad: false }

/** What was sent to a webhook, newest first. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const t = text.value.webhooks
  const event = useSignal('')
  const outcome = useSignal('any')
  const shown = useSignal<string | null>(null)
  const filter = {
    webhookId,
    event: (event.value || undefined) as EventType | undefined,
    success: outcomes[outcome.value],
  }
  return (
    <section class="section">
      <h2>{t.deliveries}</h2>
      <div class="filters">
        <SelectField
          label={t.event}
          value={event.value}
          choices={[{ value: '', label: t.anyEvent }, ...eventTypes.map((type) => ({ value: type, label: type }))]}
          onChange={(value) => {
            event.value = value
          }}
        />
        <SelectField
          label={t.outcome}
          value={outcome.value}
          choices={Object.keys(outcomes).map((value) => ({ value, label: t.outcomes[value as 'any'] }))}
          onChange={(value) => {
            outcome.value = value
          }}
        />
      </div>
      <Listing
        label={t.deliveries}
        pages={useDeliveries(filter)}
        empty={{ title: t.noDeliveries, text: t.noDeliveriesText }}
      >
        {(delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            onOpen={() => {
              shown.value = delivery.id
            }}
          />
        )}
      </Listing>
      {shown.value !== null && (
        <DeliveryDialog
          webhookId={webhookId}
          deliveryId={shown.value}
          onClose={() => {
            shown.value = null
          }}
        />
      )}
    </section>
  )
}
