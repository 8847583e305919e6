import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'
import { eventType } from './webhook-payload.ts'

const writesWebhooks = { service: 'webhooks', access: 'webhooks:write' } as const
const readsWebhooks = { service: 'webhooks', access: 'webhooks:read' } as const

export const webhook = z
  .object({
    id: uuid,
    url: z.string(),
    events: z.array(eventType),
    active: z.boolean(),
    createdAt: instant,
    updatedAt: instant,
    disabledReason: z.string().nullable(),
    consecutiveFailures: z.int(),
  })
  .meta({ id: 'Webhook' })

export const delivery = z
  .object({
    id: uuid,
    webhookId: uuid,
    event: eventType,
    eventId: uuid,
    attempts: z.int(),
    statusCode: z.int().describe('HTTP status of the last attempt; 0 without a response'),
    success: z.boolean(),
    error: z.string().nullable(),
    durationMs: z.int().nullable(),
    createdAt: instant,
    nextAttemptAt: instant.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

export const attempt = z
  .object({
    attempt: z.int(),
    at: instant,
    statusCode: z.int(),
    success: z.boolean(),
    error: z.string().nullable(),
    durationMs: z.int().nullable(),
    responseBody: z.string().nullable().describe('The first 4 KiB of the response'),
  })
  .meta({ id: 'WebhookAttempt' })

const secret = z.string().startsWith('whsec_')
const body = z.string().describe('The request body, byte for byte')
/** No user name, no fragment. The service checks whether the host is allowed. */
const url = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/?#@]+([/?][^\s#]*)?$/i, { error: 'Must be an http or https URL without user and fragment' })
const events = z
  .array(eventType)
  .min(1)
  .transform((list) => [...new Set(list)])
const webhookParams = z.object({ webhookId: uuid })
const deliveryParams = z.object({ webhookId: uuid, deliveryId: uuid })

export const createWebhook = endpoint({
  method: 'POST',
  path: '/api/webhooks',
  ...writesWebhooks,
  summary: 'Create a webhook',
  description: 'Only this response has the signing secret.',
  body: z.object({ url, events }),
  success: {
    status: 201,
    schema: webhook.extend({ secret }).meta({ id: 'CreatedWebhook' }),
  },
  errors: ['too_many_webhooks'],
})

export const listWebhooks = endpoint({
  method: 'GET',
  path: '/api/webhooks',
  ...readsWebhooks,
  summary: 'List webhooks',
  query: z.object({ ...pageQuery, order: sortQuery.order }),
  success: { status: 200, schema: z.object({ webhooks: z.array(webhook), nextCursor }) },
  errors: [],
})

export const readWebhook = endpoint({
  method: 'GET',
  path: '/api/webhooks/:webhookId',
  ...readsWebhooks,
  summary: 'Read a webhook',
  params: webhookParams,
  success: { status: 200, schema: webhook },
  errors: ['not_found'],
})

export const updateWebhook = endpoint({
  method: 'PATCH',
  path: '/api/webhooks/:webhookId',
  ...writesWebhooks,
  summary: 'Update a webhook',
  description: 'Changes the URL or events, or enables or disables the webhook.',
  params: webhookParams,
  body: z.object({ url: url.optional(), events: events.optional(), active: z.boolean().optional() }),
  success: { status: 200, schema: webhook },
  errors: ['not_found'],
})

export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/api/webhooks/:webhookId',
  ...writesWebhooks,
  summary: 'Delete a webhook',
  description: 'Also deletes its delivery log.',
  params: webhookParams,
  success: { status: 200, schema: webhook },
  errors: ['not_found'],
})

export const testWebhook = endpoint({
  method: 'POST',
  path: '/api/webhooks/:webhookId/test',
  ...writesWebhooks,
  summary: 'Send a test delivery',
  description: 'Sends a sample event now and returns the delivery. At most five per minute.',
  params: webhookParams,
  success: { status: 200, schema: delivery },
  errors: ['not_found'],
})

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/api/webhooks/:webhookId/deliveries',
  ...readsWebhooks,
  summary: 'List deliveries',
  description: 'Newest first. One page scans at most 2,000 deliveries, so with filters it may be short.',
  params: webhookParams,
  query: z.object({ ...pageQuery, success: flag.optional(), event: eventType.optional() }),
  success: { status: 200, schema: z.object({ deliveries: z.array(delivery), nextCursor }) },
  errors: ['not_found'],
})

export const readDelivery = endpoint({
  method: 'GET',
  path: '/api/webhooks/:webhookId/deliveries/:deliveryId',
  ...readsWebhooks,
  summary: 'Read a delivery',
  description: 'The delivery with its body and every attempt.',
  params: deliveryParams,
  success: {
    status: 200,
    schema: delivery.extend({ body, attemptLog: z.array(attempt) }).meta({ id: 'WebhookDeliveryWithAttempts' }),
  },
  errors: ['not_found'],
})

const feedDelivery = delivery
  .extend({
    isTest: z.boolean().describe('A sample event, sent on request'),
    body,
    cursor: z.string().describe('Cursor that continues after this delivery'),
  })
  .meta({ id: 'WebhookFeedDelivery' })

export const readWebhookFeed = endpoint({
  method: 'GET',
  path: '/api/webhooks/:webhookId/feed',
  ...readsWebhooks,
  summary: 'Follow deliveries',
  description:
    'Deliveries with their bodies, oldest first, after the `cursor` of the previous response; none is skipped. Without a cursor, future deliveries. With `waitSeconds`, an empty response waits for a delivery.',
  params: webhookParams,
  query: z.object({
    limit: pageQuery.limit,
    cursor: z.string().optional().describe('`cursor` of the previous response'),
    waitSeconds: z.coerce
      .number()
      .int()
      .min(0)
      .max(20)
      .default(0)
      .describe('How long an empty response waits for a delivery; at most 20'),
  }),
  success: {
    status: 200,
    schema: z.object({
      deliveries: z.array(feedDelivery),
      cursor: z.string().describe('Cursor of the next request'),
    }),
  },
  errors: ['not_found'],
})

export const redeliver = endpoint({
  method: 'POST',
  path: '/api/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
  ...writesWebhooks,
  summary: 'Redeliver',
  description: 'Sends a delivery again, whether it succeeded or not.',
  params: deliveryParams,
  success: { status: 200, schema: delivery },
  errors: ['not_found', 'state_conflict'],
})

export const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/api/webhooks/:webhookId/rotate-secret',
  ...writesWebhooks,
  summary: 'Rotate the secret',
  description: 'Only this response has the new secret. Until `previousSecretValidUntil`, both secrets sign deliveries.',
  params: webhookParams,
  success: {
    status: 200,
    schema: webhook.extend({ secret, previousSecretValidUntil: instant }).meta({ id: 'RotatedWebhook' }),
  },
  errors: ['not_found', 'state_conflict'],
})
