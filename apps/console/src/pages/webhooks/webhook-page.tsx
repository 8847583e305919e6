import { useSignal } from '@preact/signals'
import type { Webhook } from '@tideport/sdk'
import { Link, useLocation } from 'wouter-preact'
import type { PageProps } from '../../app/page-props.ts'
import { toast } from '../../app/toasts.ts'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FailedPage } from '../../ui/failed-page.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Deliveries } from './deliveries.tsx'
import { outcomeOf } from './delivery-outcome.ts'
import { type OpenWebhookDialog, WebhookDialog } from './webhook-dialogs.tsx'
import { WebhookFacts } from './webhook-facts.tsx'
import { useTestWebhook, useWebhook } from './webhook-queries.ts'

export default function WebhookPage({ params }: PageProps) {
  const { data, error, isPending, refetch } = useWebhook(params.webhookId ?? '')
  if (isPending) return <Spinner />
  if (data === undefined) return <FailedPage error={error} onRetry={() => void refetch()} />
  return <WebhookView webhook={data} />
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const t = text.value.webhooks
  const [, navigate] = useLocation()
  const open = useSignal<OpenWebhookDialog>(null)
  const show = (next: OpenWebhookDialog) => {
    open.value = next
  }
  const test = useTestWebhook((delivery) => toast(t.tested(outcomeOf(delivery).label)))
  const sendTest = () => test.mutate(webhook.id)
  useCommands([
    { label: t.test, key: 't', run: sendTest },
    { label: t.edit, key: 'e', run: () => show({ dialog: 'edit', webhook }) },
  ])
  return (
    <>
      <p class="back">
        <Link href="/webhooks">{t.title}</Link>
      </p>
      <PageHead title={webhook.url}>
        <Button look="main" keys="t" busy={test.isPending} onClick={sendTest}>
          {t.test}
        </Button>
        <Button keys="e" onClick={() => show({ dialog: 'edit', webhook })}>
          {t.edit}
        </Button>
        <Button onClick={() => show({ dialog: 'rotate', webhook })}>{t.rotate}</Button>
        <Button onClick={() => show({ dialog: 'delete', webhook })}>{t.remove}</Button>
      </PageHead>
      <div class="row-text">
        <WebhookFacts webhook={webhook} />
      </div>
      <Deliveries webhookId={webhook.id} />
      <WebhookDialog open={open.value} onShow={show} onDeleted={() => navigate('/webhooks')} />
    </>
  )
}
