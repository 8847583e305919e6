import { useMutation, useQuery } from '@tanstack/preact-query'
import { readDelivery, redeliver, type WebhookDeliveryWithAttempts } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { describeError } from '../../api/describe-error.ts'
import { queryClient } from '../../api/query-client.ts'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { isPending, outcomeOf, webhooksKey } from './webhook.ts'

interface DeliveryDialogProps {
  webhookId: string
  deliveryId: string
  onClose: () => void
}

export const pendingMs = 3_000

export function DeliveryDialog({ webhookId, deliveryId, onClose }: DeliveryDialogProps) {
  const { app, webhooks: t } = text.value
  const query = useQuery({
    queryKey: [...webhooksKey, webhookId, 'deliveries', deliveryId],
    queryFn: ({ signal }) => readDelivery(client(), { webhookId, deliveryId }, { signal }),
    refetchInterval: ({ state: { data } }) => data !== undefined && isPending(data) && pendingMs,
  })
  const again = useMutation({
    mutationFn: () => redeliver(client(), { webhookId, deliveryId }),
    gcTime: 0,
    meta: { toldByForm: true },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey }),
  })
  return (
    <Dialog title={app.delivery} onClose={onClose}>
      <Loaded query={query}>{(delivery) => <Sent delivery={delivery} />}</Loaded>
      {/* Shown here, because a notice would be behind the dialog. */}
      <p class="hint" role="status">
        {again.isSuccess ? t.redelivered : ''}
      </p>
      <p class="form-error" role="alert">
        {again.error === null ? '' : describeError(again.error)}
      </p>
      <div class="form-end">
        <Button busy={again.isPending} onClick={() => again.mutate()} text={t.redeliver} />
      </div>
    </Dialog>
  )
}

export function Outcome(tried: Parameters<typeof outcomeOf>[0]) {
  const { label, look } = outcomeOf(tried)
  return <span class={`badge ${look}`}>{label}</span>
}

function Sent({ delivery }: { delivery: WebhookDeliveryWithAttempts }) {
  const { app, webhooks: t } = text.value
  const { event, eventId, createdAt, nextAttemptAt, body, attemptLog } = delivery
  return (
    <>
      <Facts
        facts={[
          [app.event, event],
          [app.outcome, <Outcome key="outcome" {...delivery} />],
          [t.at, dateTime(createdAt)],
          [t.next, nextAttemptAt && dateTime(nextAttemptAt)],
          [t.eventId, <code key="id">{eventId}</code>],
        ]}
      />
      <h3>{t.body}</h3>
      <CodeBlock label={t.body}>{indented(body)}</CodeBlock>
      <h3>{app.attempts}</h3>
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

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="code code-block" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
