import type { Webhook } from '@tideport/sdk'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { Facts } from '../../ui/facts.tsx'

/** What is known of a webhook beside its URL. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const t = text.value.webhooks
  const { active, events, disabledReason, consecutiveFailures, createdAt, updatedAt } = webhook
  return (
    <>
      <p class="badges">
        <span class={`badge badge-${active ? 'good' : 'bad'}`}>{active ? t.on : t.off}</span>
        {events.map((event) => (
          <span key={event} class="badge">
            {event}
          </span>
        ))}
      </p>
      <Facts
        facts={[
          [t.offBecause, disabledReason],
          [t.failures, consecutiveFailures === 0 ? null : number(consecutiveFailures)],
          [t.created, dateTime(createdAt)],
          [t.changed, updatedAt === createdAt ? null : dateTime(updatedAt)],
        ]}
      />
    </>
  )
}
