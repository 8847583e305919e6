import { useSignal } from '@preact/signals'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Listing } from '../../ui/listing.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { type OpenWebhookDialog, WebhookDialog } from './webhook-dialogs.tsx'
import { useWebhooks } from './webhook-queries.ts'
import { WebhookRow } from './webhook-row.tsx'

export default function WebhooksPage() {
  const t = text.value.webhooks
  const pages = useWebhooks()
  const open = useSignal<OpenWebhookDialog>(null)
  const show = (next: OpenWebhookDialog) => {
    open.value = next
  }
  const create = () => show({ dialog: 'create' })
  useCommands([{ label: t.create, key: 'n', run: create }])
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <Button look="main" keys="n" onClick={create}>
          {t.create}
        </Button>
      </PageHead>
      <Listing label={t.title} pages={pages} empty={{ title: t.empty, text: t.emptyText }}>
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} onOpen={show} />}
      </Listing>
      <WebhookDialog open={open.value} onShow={show} onDeleted={() => show(null)} />
    </>
  )
}
