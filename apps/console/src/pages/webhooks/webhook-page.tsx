import { useMutation, useQuery } from '@tanstack/preact-query'
import { readWebhook, testWebhook, type Webhook } from '@tideport/sdk'
import { Link, useLocation } from 'wouter-preact'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Badges } from '../../ui/row.tsx'
import { useDialog } from '../../ui/use-dialog.tsx'
import type { PageProps } from '../page-props.ts'
import { CommandButton } from '../resource/command-button.tsx'
import { Deliveries } from './deliveries.tsx'
import { describeWebhook, outcomeOf, webhooksKey } from './webhook.ts'
import { deletionForm, newSecretForm, webhookForm } from './webhook-forms.ts'

export default function WebhookPage({ params: { webhookId = '' } }: PageProps) {
  const query = useQuery({
    queryKey: [...webhooksKey, webhookId],
    queryFn: ({ signal }) => readWebhook(client(), { webhookId }, { signal }),
  })
  return (
    <Loaded query={query} isPage>
      {(webhook) => <WebhookView webhook={webhook} />}
    </Loaded>
  )
}

function WebhookView({ webhook }: { webhook: Webhook }) {
  const { app, webhooks: t } = text.value
  const [, navigate] = useLocation()
  const { dialog, ask } = useDialog()
  const { badges, facts } = describeWebhook(webhook)
  const test = useMutation({
    mutationFn: () => testWebhook(client(), { webhookId: webhook.id }),
    async onSuccess(delivery) {
      toast(t.tested(outcomeOf(delivery).label))
      await queryClient.invalidateQueries({ queryKey: webhooksKey })
    },
  })
  return (
    <>
      <p class="back">
        <Link href="/webhooks">{text.value.nav.webhooks}</Link>
      </p>
      <PageHead title={webhook.url}>
        <CommandButton look="main" keys="t" label={t.test} busy={test.isPending} run={test.mutate} />
        <CommandButton keys="e" label={app.edit} run={() => ask(webhookForm(webhook))} />
        <Button onClick={() => ask(newSecretForm(webhook))} text={t.rotate} />
        <Button onClick={() => ask(deletionForm(webhook, () => navigate('/webhooks')))} text={t.remove} />
      </PageHead>
      <div class="row-text">
        <Badges badges={badges} />
        <Facts facts={facts} />
      </div>
      <Deliveries webhookId={webhook.id} />
      {dialog}
    </>
  )
}
