import type { Webhook } from '@tideport/sdk'
import { showSecret } from '../../app/shown-secrets.ts'
import { dateTime } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CreateWebhookDialog, EditWebhookDialog } from './webhook-form.tsx'
import { useDeleteWebhook, useRotateSecret, type WithSecret } from './webhook-queries.ts'

export type OpenWebhookDialog = { dialog: 'create' } | { dialog: 'edit' | 'delete' | 'rotate'; webhook: Webhook } | null

interface WebhookDialogProps {
  open: OpenWebhookDialog
  onShow: (next: OpenWebhookDialog) => void
  onDeleted: () => void
}

/** The dialog that is open now, if any. */
export function WebhookDialog({ open, onShow, onDeleted }: WebhookDialogProps) {
  const onClose = () => onShow(null)
  const onSecret = (made: WithSecret) => {
    onClose()
    showWebhookSecret(made)
  }
  if (open === null) return null
  if (open.dialog === 'create') return <CreateWebhookDialog onCreated={onSecret} onClose={onClose} />
  if (open.dialog === 'edit') return <EditWebhookDialog webhook={open.webhook} onClose={onClose} />
  if (open.dialog === 'rotate') return <RotateDialog webhook={open.webhook} onRotated={onSecret} onClose={onClose} />
  return <DeleteDialog webhook={open.webhook} onDeleted={onDeleted} onClose={onClose} />
}

function showWebhookSecret({ secret, previousSecretValidUntil: until }: WithSecret): void {
  const t = text.value.webhooks
  const paragraphs = [t.secretText, ...(until === undefined ? [] : [t.previousText(dateTime(until))])]
  showSecret({ title: t.secretTitle, label: t.secret, secret, paragraphs })
}

interface OneWebhookProps {
  webhook: Webhook
  onClose: () => void
}

function RotateDialog({ webhook, onRotated, onClose }: OneWebhookProps & { onRotated: (made: WithSecret) => void }) {
  const t = text.value.webhooks
  return (
    <ConfirmDialog
      title={t.rotateTitle}
      text={t.rotateText}
      submit={t.rotate}
      change={useRotateSecret(onRotated)}
      input={webhook}
      onClose={onClose}
    />
  )
}

function DeleteDialog({ webhook, onDeleted, onClose }: OneWebhookProps & { onDeleted: () => void }) {
  const t = text.value.webhooks
  return (
    <ConfirmDialog
      title={t.removeTitle}
      text={t.removeText(isolated(webhook.url))}
      submit={t.remove}
      change={useDeleteWebhook(onDeleted)}
      input={webhook}
      onClose={onClose}
    />
  )
}
