import type { Webhook } from '@tideport/sdk'
import { Link } from 'wouter-preact'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/row.tsx'
import type { OpenWebhookDialog } from './webhook-dialogs.tsx'
import { WebhookFacts } from './webhook-facts.tsx'

interface WebhookRowProps {
  webhook: Webhook
  onOpen: (dialog: OpenWebhookDialog) => void
}

export function WebhookRow({ webhook, onOpen }: WebhookRowProps) {
  const t = text.value.webhooks
  const { id, url } = webhook
  const title = (
    <Link class="clamp" href={`/webhooks/${id}`}>
      <bdi>{url}</bdi>
    </Link>
  )
  const actions = (
    <>
      <Button label={`${t.edit}: ${url}`} onClick={() => onOpen({ dialog: 'edit', webhook })}>
        {t.edit}
      </Button>
      <Button label={`${t.remove}: ${url}`} onClick={() => onOpen({ dialog: 'delete', webhook })}>
        {t.remove}
      </Button>
    </>
  )
  return (
    <Row title={title} actions={actions}>
      <WebhookFacts webhook={webhook} />
    </Row>
  )
}
