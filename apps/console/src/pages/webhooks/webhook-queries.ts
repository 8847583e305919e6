import { useMutation, useQuery } from '@tanstack/preact-query'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateWebhookSecret,
  testWebhook,
  type UpdateWebhookInput,
  updateWebhook,
  type Webhook,
  type WebhookDelivery,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'

export const changes = ['webhooks'] as const

export type WithSecret = { url: string; secret: string; previousSecretValidUntil?: string }

/** Newest first. */
export const useWebhooks = () =>
  usePages([...changes, 'list'], async ({ cursor, signal }) => {
    const { webhooks, nextCursor } = await listWebhooks(client(), { cursor }, { signal }).page()
    return { items: webhooks, nextCursor }
  })

export const useWebhook = (webhookId: string) =>
  useQuery({
    queryKey: [...changes, webhookId],
    queryFn: ({ signal }) => readWebhook(client(), { webhookId }, { signal }),
  })

export const useCreateWebhook = (onAnswer: (created: WithSecret) => void) =>
  useChange({
    changes,
    onAnswer,
    run: (input: Parameters<typeof createWebhook>[1]) => createWebhook(client(), input),
  })

export const useRotateSecret = (onAnswer: (rotated: WithSecret) => void) =>
  useChange({ changes, onAnswer, run: ({ id }: Webhook) => rotateWebhookSecret(client(), { webhookId: id }) })

export const useUpdateWebhook = (onClose: () => void) =>
  useChange({
    changes,
    run: (input: UpdateWebhookInput) => updateWebhook(client(), input),
    onDone() {
      onClose()
      toast(text.value.vaults.saved)
    },
  })

export const useDeleteWebhook = (onDone: () => void) =>
  useChange({
    changes,
    run: ({ id }: Webhook) => deleteWebhook(client(), { webhookId: id }),
    onDone() {
      onDone()
      toast(text.value.webhooks.removed)
    },
  })

/** Sends a sample now, and tells what came of it. */
export const useTestWebhook = (onAnswer: (delivery: WebhookDelivery) => void) =>
  useMutation({
    mutationFn: (webhookId: string) => testWebhook(client(), { webhookId }),
    async onSuccess(delivery) {
      onAnswer(delivery)
      await queryClient.invalidateQueries({ queryKey: changes })
    },
  })
