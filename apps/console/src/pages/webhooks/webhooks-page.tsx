import { listWebhooks, type Webhook } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Row } from '../../ui/row.tsx'
import type { Ask } from '../../ui/use-dialog.tsx'
import { readList } from '../resource/read-list.ts'
import { ResourcePage } from '../resource/resource-page.tsx'
import { describeWebhook, webhooksKey } from './webhook.ts'
import { deletionForm, newWebhookForm, webhookForm } from './webhook-forms.ts'

export default function WebhooksPage() {
  return (
    <ResourcePage<Webhook>
      name="webhooks"
      text={text.value.webhooks}
      query={{ queryKey: [...webhooksKey, 'list'], read: readList('webhooks', listWebhooks, {}) }}
      create={newWebhookForm}
    >
      {(webhook, ask) => <WebhookRow key={webhook.id} webhook={webhook} ask={ask} />}
    </ResourcePage>
  )
}

function WebhookRow({ webhook, ask }: { webhook: Webhook; ask: Ask }) {
  const { app, webhooks: t } = text.value
  const { id, url } = webhook
  const title = (
    <Link class="clamp" href={`/webhooks/${id}`}>
      <bdi>{url}</bdi>
    </Link>
  )
  return (
    <Row
      title={title}
      {...describeWebhook(webhook)}
      actions={[
        { label: app.edit, of: url, run: () => ask(webhookForm(webhook)) },
        { label: t.remove, of: url, run: () => ask(deletionForm(webhook)) },
      ]}
    />
  )
}
