import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook, type Webhook } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { asChoices } from '../../ui/field.tsx'
import type { FormField } from '../../ui/form-fields.tsx'
import { showSecret } from '../../ui/shown-secrets.ts'
import type { Asked } from '../../ui/use-dialog.tsx'
import { webhooksKey as changes, type EventType, eventTypes } from './webhook.ts'

/** One event for each state of a file. */
const usualEvents: EventType[] = ['file.hot', 'file.synced', 'file.cold', 'file.error']

function webhookFields(url: string, events: readonly EventType[]): FormField[] {
  const t = text.value.webhooks
  return [
    { name: 'url', label: t.url, hint: t.urlHint, type: 'url', required: true, maxLength: 2048, defaultValue: url },
    { kind: 'checks', name: 'events', label: t.events, choices: asChoices(eventTypes), chosen: events },
  ]
}

const webhookIn = (fields: FormData) => ({
  url: String(fields.get('url')),
  events: fields.getAll('events') as EventType[],
})

interface WithSecret {
  secret: string
  previousSecretValidUntil?: string
}

function showWebhookSecret({ secret, previousSecretValidUntil: until }: WithSecret): void {
  const t = text.value.webhooks
  const paragraphs = [t.secretText, ...(until === undefined ? [] : [t.previousText(dateTime(until))])]
  showSecret({ title: t.secret, label: t.secret, secret, paragraphs })
}

export function newWebhookForm(): Asked<WithSecret> {
  const t = text.value.webhooks
  return {
    title: t.create,
    submit: t.create,
    fields: webhookFields('', usualEvents),
    run: (fields) => createWebhook(client(), webhookIn(fields)),
    changes,
    onAnswer: showWebhookSecret,
  }
}

export function webhookForm({ id, url, events, active }: Webhook): Asked {
  const t = text.value
  return {
    title: t.webhooks.editTitle,
    submit: t.app.save,
    fields: [
      ...webhookFields(url, events),
      { kind: 'tick', name: 'active', label: t.webhooks.active, defaultChecked: active },
    ],
    run: (fields) => updateWebhook(client(), { webhookId: id, ...webhookIn(fields), active: fields.has('active') }),
    changes,
    onDone: () => toast(t.app.saved),
  }
}

export function newSecretForm({ id }: Webhook): Asked<WithSecret> {
  const t = text.value.webhooks
  return {
    title: t.rotateTitle,
    text: t.rotateText,
    submit: t.rotate,
    danger: true,
    run: () => rotateWebhookSecret(client(), { webhookId: id }),
    changes,
    onAnswer: showWebhookSecret,
  }
}

export function deletionForm({ id, url }: Webhook, onDeleted = () => {}): Asked {
  const t = text.value.webhooks
  return {
    title: t.removeTitle,
    text: t.removeText(isolated(url)),
    submit: t.remove,
    danger: true,
    run: () => deleteWebhook(client(), { webhookId: id }),
    changes,
    onDone: () => {
      onDeleted()
      toast(t.removed)
    },
  }
}
