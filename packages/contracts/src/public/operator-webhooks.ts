import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery, wholeNumber } from './list.ts'
import { operatorEvent } from './operator-events.ts'

const shared = { service: 'webhooks', access: 'operator' } as const
const SECONDS_MAX = 315_360_000

/** Without body and URL, which only the owner may read. */
const deadDelivery = z
  .object({
    id: uuid,
    webhookId: uuid,
    accountId: uuid,
    event: z.string().describe('The event’s type'),
    attempts: z.int(),
    statusCode: z.int().describe('HTTP status of the last attempt; 0 without a response'),
    error: z.string().nullable(),
    since: instant.describe('When it failed permanently'),
    active: z.boolean().describe('Whether its webhook is enabled; nothing is sent to disabled webhooks'),
  })
  .meta({ id: 'DeadDelivery' })
export type DeadDelivery = z.infer<typeof deadDelivery>

export const listDeadDeliveries = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/operator/webhooks/dead-letters',
  summary: 'List dead-lettered deliveries',
  description:
    'Of all accounts, oldest first. Does not include tests and deliveries skipped for disabled webhooks. Costs as much as 5 requests.',
  query: z.object({
    ...pageQuery,
    olderThanSeconds: wholeNumber({ min: 0, max: SECONDS_MAX })
      .optional()
      .describe('Only deliveries that are at least this old'),
  }),
  success: { status: 200, schema: z.object({ deadLetters: z.array(deadDelivery), nextCursor }) },
  errors: [],
})

const REDRIVE_MAX = 100

const redriven = z
  .object({
    deliveryId: uuid,
    accountId: uuid.nullable(),
    error: z.string().nullable().describe('Why it failed permanently'),
    since: instant.nullable(),
    outcome: z
      .enum(['would_be_tried', 'planned', 'switched_off', 'not_given_up', 'changed', 'not_found'])
      .describe(
        'would_be_tried: a dry run. planned: one more attempt, at most ten per second and webhook. switched_off: the webhook is disabled. not_given_up: delivered or still scheduled. changed: another request changed it first',
      ),
  })
  .meta({ id: 'RedrivenDelivery' })
export type RedrivenDelivery = z.infer<typeof redriven>

export const redriveDeliveries = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/operator/webhooks/redrive',
  summary: 'Redeliver dead letters',
  description: `Schedules one more attempt for each, as its owner could: up to ${REDRIVE_MAX} per request, selected by \`deliveryIds\`, or all that failed permanently before the first request. A dry run unless \`dryRun\` is false. Continue with \`cursor\`. Costs one more request for every ten deliveries.`,
  body: z.object({
    deliveryIds: z.array(uuid).min(1).max(REDRIVE_MAX).optional(),
    olderThanSeconds: z.int().min(0).max(SECONDS_MAX).optional().describe('Only deliveries that are at least this old'),
    limit: z.int().min(1).max(REDRIVE_MAX).default(REDRIVE_MAX),
    cursor: pageQuery.cursor,
    dryRun: z.boolean().default(true),
  }),
  success: { status: 200, schema: z.object({ redriven: z.array(redriven), nextCursor }) },
  errors: [],
})

export const listOperatorWebhookEvents = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/operator/webhooks/events',
  summary: 'List operators’ actions on deliveries',
  description: 'Actions by HTTP, newest first. Kept as long as the audit log.',
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ events: z.array(operatorEvent), nextCursor }) },
  errors: [],
})
