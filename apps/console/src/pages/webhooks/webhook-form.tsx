import type { Webhook } from '@tideport/sdk'
import { text } from '../../text/text.ts'
import { Checks } from '../../ui/checks.tsx'
import { Field } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type EventType, eventTypes } from './event-types.ts'
import { useCreateWebhook, useUpdateWebhook, type WithSecret } from './webhook-queries.ts'

const choices = eventTypes.map((event) => ({ value: event, label: event }))
/** The specification's, one for each state of a file. */
const usualEvents: EventType[] = ['file.hot', 'file.synced', 'file.cold', 'file.error']

interface CreateWebhookDialogProps {
  onCreated: (created: WithSecret) => void
  onClose: () => void
}

export function CreateWebhookDialog({ onCreated, onClose }: CreateWebhookDialogProps) {
  const t = text.value.webhooks
  const { mutate, isPending, error } = useCreateWebhook(onCreated)
  return (
    <FormDialog
      title={t.createTitle}
      submit={t.create}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) => mutate(readFields(fields))}
    >
      <UrlAndEvents url="" events={usualEvents} />
    </FormDialog>
  )
}

export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = text.value.webhooks
  const { mutate, isPending, error } = useUpdateWebhook(onClose)
  return (
    <FormDialog
      title={t.editTitle}
      submit={text.value.app.save}
      busy={isPending}
      error={error}
      onClose={onClose}
      onSubmit={(fields) =>
        mutate({ webhookId: webhook.id, ...readFields(fields), active: fields.get('active') !== null })
      }
    >
      <UrlAndEvents url={webhook.url} events={webhook.events} />
      <label class="check">
        <input type="checkbox" name="active" defaultChecked={webhook.active} />
        <span>{t.active}</span>
      </label>
    </FormDialog>
  )
}

function UrlAndEvents({ url, events }: { url: string; events: readonly EventType[] }) {
  const t = text.value.webhooks
  return (
    <>
      <Field
        label={t.url}
        hint={t.urlHint}
        input={{ name: 'url', type: 'url', required: true, maxLength: 2048, autocomplete: 'off', defaultValue: url }}
      />
      <Checks label={t.events} name="events" choices={choices} chosen={events} />
    </>
  )
}

const readFields = (fields: FormData) => ({
  url: String(fields.get('url')),
  events: fields.getAll('events') as EventType[],
})
