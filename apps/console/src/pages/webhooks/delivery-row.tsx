import type { WebhookDelivery } from '@tideport/sdk'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/row.tsx'
import { outcomeOf } from './delivery-outcome.ts'

const looks = new Map<boolean | null, string>([
  [true, 'badge badge-good'],
  [false, 'badge badge-bad'],
])

/** What came of it, as a badge. */
export function Outcome(tried: Parameters<typeof outcomeOf>[0]) {
  const { label, isGood } = outcomeOf(tried)
  return <span class={looks.get(isGood) ?? 'badge'}>{label}</span>
}

export function DeliveryRow({ delivery, onOpen }: { delivery: WebhookDelivery; onOpen: () => void }) {
  const t = text.value.webhooks
  const { event, attempts, createdAt, nextAttemptAt, success } = delivery
  const at = dateTime(createdAt)
  return (
    <Row
      title={event}
      actions={
        <Button label={t.showDelivery(event, at)} onClick={onOpen}>
          {t.show}
        </Button>
      }
    >
      <p class="badges">
        <Outcome {...delivery} />
      </p>
      <p class="hint">
        {at} · {t.attempts(attempts)}
        {!success && nextAttemptAt !== null && ` · ${t.nextAttempt(dateTime(nextAttemptAt))}`}
      </p>
    </Row>
  )
}
