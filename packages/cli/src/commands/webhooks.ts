import { createWebhook, deleteWebhook, listDeliveries, listWebhooks, redeliver, rotateWebhookSecret, testWebhook, type Webhook, type WebhookDelivery } from '@tideport/sdk' // biome-ignore format: one line
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { parseCount } from '../terminal/amounts.ts'
import { UsageError } from '../terminal/failures.ts'

const id = { summary: 'Webhook ID' } as const

export const webhooks = command({
  name: 'webhooks',
  summary: 'List webhooks',
  async run(_, context) {
    const listed = listWebhooks(await connect(context), { limit: 100 }, { signal: context.signal })
    for await (const webhook of listed) await context.output.result(webhook, line(webhook))
  },
})

export const webhooksCreate = command({
  name: 'webhooks create',
  summary: 'Send events to a URL',
  description: 'The signing secret is printed once.',
  arguments: { url: { summary: 'URL that receives the events' } },
  options: {
    event: {
      type: 'string',
      value: 'EVENT',
      multiple: true,
      summary: 'file.hot, file.synced, …; required, repeatable',
    },
  },
  async run({ url, event }, context) {
    const { output, signal } = context
    if (event.length === 0) throw new UsageError('--event is missing')
    const webhook = await createWebhook(await connect(context), { url, events: event as never }, { signal })
    await output.result(webhook, webhook.secret)
    output.remark(`Save the secret of ${webhook.id} now: it is not shown again`)
  },
})

export const webhooksRm = command({
  name: 'webhooks rm',
  summary: 'Delete a webhook and its deliveries',
  arguments: { id },
  async run({ id: webhookId }, context) {
    const deleted = await deleteWebhook(await connect(context), { webhookId }, { signal: context.signal })
    await context.output.result(deleted, line(deleted))
  },
})

export const webhooksTest = command({
  name: 'webhooks test',
  summary: 'Send a sample event and print the result',
  description: 'Fails if the receiver does not respond with a 2xx status.',
  arguments: { id },
  async run({ id: webhookId }, context) {
    const delivery = await testWebhook(await connect(context), { webhookId }, { signal: context.signal })
    await context.output.result(delivery, deliveryLine(delivery))
    if (!delivery.success)
      throw new Error(delivery.error ?? `The receiver responded with status ${delivery.statusCode}`)
  },
})

export const webhooksDeliveries = command({
  name: 'webhooks deliveries',
  summary: 'List the deliveries of a webhook, newest first',
  arguments: { id },
  options: {
    failed: { type: 'boolean', summary: 'Only failed and pending deliveries' },
    event: { type: 'string', value: 'EVENT', summary: 'Only this event' },
    limit: { type: 'string', value: 'N', summary: 'Maximum number of deliveries (default: 50)' },
  },
  async run({ id: webhookId, failed, event, limit = '50' }, context) {
    const { output, signal } = context
    let left = parseCount('limit', limit, 1_000_000)
    const asked = { webhookId, limit: Math.min(left, 100), event: event as never, ...(failed && { success: false }) }
    for await (const delivery of listDeliveries(await connect(context), asked, { signal })) {
      await output.result(delivery, deliveryLine(delivery))
      if (--left === 0) return
    }
  },
})

export const webhooksRedeliver = command({
  name: 'webhooks redeliver',
  summary: 'Send a delivery again',
  arguments: { id, delivery: { summary: 'Delivery ID' } },
  async run({ id: webhookId, delivery: deliveryId }, context) {
    const delivery = await redeliver(await connect(context), { webhookId, deliveryId }, { signal: context.signal })
    await context.output.result(delivery, deliveryLine(delivery))
  },
})

export const webhooksRotate = command({
  name: 'webhooks rotate',
  summary: 'Replace the signing secret',
  arguments: { id },
  async run({ id: webhookId }, context) {
    const webhook = await rotateWebhookSecret(await connect(context), { webhookId }, { signal: context.signal })
    await context.output.result(webhook, webhook.secret)
    context.output.remark(`The previous secret stays valid until ${webhook.previousSecretValidUntil}`)
  },
})

const line = ({ id: webhookId, active, disabledReason, url, events }: Webhook) =>
  `${webhookId}  ${(active ? 'active' : (disabledReason ?? 'off')).padEnd(8)}  ${url}  ${events.join(' ')}`

const deliveryLine = ({ id: deliveryId, createdAt, event, success, statusCode, attempts, error }: WebhookDelivery) =>
  `${deliveryId}  ${createdAt}  ${event.padEnd(12)}  ${success ? 'ok' : 'failed'}  ${statusCode}  ${attempts}x  ${error ?? ''}`.trimEnd()
