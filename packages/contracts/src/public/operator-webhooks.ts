import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery, wholeNumber } from './list.ts'
import { operatorEvent } from './operator-events.ts'

const shared = { service: 'webhooks', access: 'operator' } as const
const SECONDS_MAX = 315_360_000

/** Neither its body nor where it was to go: these are its owner's. */
const deadDelivery = z
  .object({
    id: uuid,
    webhookId: uuid,
    accountId: uuid,
    event: z.string().describe('The event’s type'),
    attempts: z.int(),
    statusCode: z.int().describe('HTTP status of the last attempt; 0 if nothing answered'),
    error: z.string().nullable(),
    since: instant.describe('When it was given up'),
    active: z.boolean().describe('Whether its webhook is switched on; nothing is sent to one that is not'),
  })
  .meta({ id: 'DeadDelivery' })
export type DeadDelivery = z.infer<typeof deadDelivery>

export const listDeadDeliveries = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/operator/webhooks/dead-letters',
  summary: 'List deliveries that were given up',
  description:
    'Of all accounts, up to now; longest first. Tests, and what was skipped because its webhook was switched off, are none of them. Costs as much as 5 requests.',
  query: z.object({
    ...pageQuery,
    olderThanSeconds: wholeNumber({ min: 0, max: SECONDS_MAX }).optional().describe('For so long at least'),
  }),
  success: { status: 200, schema: z.object({ deadLetters: z.array(deadDelivery), nextCursor }) },
  errors: [],
})

const REDRIVE_MAX = 100

const redriven = z
  .object({
    deliveryId: uuid,
    accountId: uuid.nullable(),
    error: z.string().nullable().describe('Why it was given up'),
    since: instant.nullable(),
    outcome: z
      .enum(['would_be_tried', 'planned', 'switched_off', 'not_given_up', 'changed', 'not_found'])
      .describe(
        'would_be_tried: a dry run. planned: one more attempt, at most ten a second of a webhook. switched_off: its webhook is. not_given_up: it arrived, or is still to be sent. changed: somebody was quicker',
      ),
  })
  .meta({ id: 'RedrivenDelivery' })
export type RedrivenDelivery = z.infer<typeof redriven>

export const redriveDeliveries = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/operator/webhooks/redrive',
  summary: 'Send again what was given up',
  description: `Plans one more attempt of each, as its owner could: up to ${REDRIVE_MAX} in a call, named by \`deliveryIds\`, or all that were given up before the first call. Only says what it would do unless \`dryRun\` is false. Go on with \`cursor\`. Costs a request more for every ten deliveries.`,
  body: z.object({
    deliveryIds: z.array(uuid).min(1).max(REDRIVE_MAX).optional(),
    olderThanSeconds: z.int().min(0).max(SECONDS_MAX).optional().describe('For so long at least'),
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
  summary: 'List what operators did to deliveries',
  description: 'By HTTP, newest first; kept as long as the audit log.',
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ events: z.array(operatorEvent), nextCursor }) },
  errors: [],
})
