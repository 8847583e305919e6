import type { WebhookDeliveryWithAttempts } from '@tideport/sdk'
import { describeError } from '../../api/describe-error.ts'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useDelivery, useRedeliver } from './delivery-queries.ts'
import { Outcome } from './delivery-row.tsx'

interface DeliveryDialogProps {
  webhookId: string
  deliveryId: string
  onClose: () => void
}

/** What was sent, what was answered each time, and sending it again. */
export function DeliveryDialog({ webhookId, deliveryId, onClose }: DeliveryDialogProps) {
  const t = text.value.webhooks
  const { data, error, isPending, refetch } = useDelivery({ webhookId, deliveryId })
  const again = useRedeliver()
  return (
    <Dialog title={t.delivery} onClose={onClose}>
      {isPending && <Spinner />}
      {!isPending && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <Sent delivery={data} />}
      {/* In here, for a notice beside the dialog is behind it. */}
      <p class="hint" role="status">
        {again.isSuccess ? t.redelivered : ''}
      </p>
      <p class="form-error" role="alert">
        {again.error === null ? '' : describeError(again.error)}
      </p>
      <div class="form-end">
        <Button busy={again.isPending} onClick={() => again.mutate({ webhookId, deliveryId })}>
          {t.redeliver}
        </Button>
      </div>
    </Dialog>
  )
}

function Sent({ delivery }: { delivery: WebhookDeliveryWithAttempts }) {
  const t = text.value.webhooks
  const { event, eventId, createdAt, nextAttemptAt, body, attemptLog } = delivery
  return (
    <>
      <Facts
        facts={[
          [t.event, event],
          [t.outcome, <Outcome key="outcome" {...delivery} />],
          [t.at, dateTime(createdAt)],
          [t.next, nextAttemptAt && dateTime(nextAttemptAt)],
          [t.eventId, <code key="id">{eventId}</code>],
        ]}
      />
      <h3>{t.body}</h3>
      <CodeBlock label={t.body}>{indented(body)}</CodeBlock>
      <h3>{t.attemptsTitle}</h3>
      {attemptLog.length === 0 && <p class="hint">{t.noAttempts}</p>}
      <ol class="attempts">
        {attemptLog.map((attempt) => (
          <Attempt key={attempt.attempt} {...attempt} />
        ))}
      </ol>
    </>
  )
}

function Attempt(attempt: WebhookDeliveryWithAttempts['attemptLog'][number]) {
  const t = text.value.webhooks
  const { at, durationMs, responseBody, error } = attempt
  return (
    <li>
      <p>
        <Outcome {...attempt} /> {dateTime(at)}
        {durationMs !== null && ` · ${number(durationMs)} ms`}
      </p>
      {error !== null && <p class="form-error">{error}</p>}
      {responseBody !== null && responseBody !== '' && (
        <details class="fold">
          <summary>{t.answer}</summary>
          <CodeBlock label={t.answer}>{responseBody}</CodeBlock>
        </details>
      )}
    </li>
  )
}

/** As people read it; what is no JSON as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
