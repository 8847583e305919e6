import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery } from './list.ts'

export const operatorEvent = z
  .object({
    id: uuid,
    at: instant,
    kind: z.string().describe('The action, e.g. `redrive`; new actions may be added'),
    accountId: uuid.describe('Address of the operator'),
    subject: z.string().nullable().describe('The operator’s ID at the identity provider; null: the owner’s session'),
    clientAddress: z.string().nullable(),
    requestId: z.string().describe('The same as in the logs of the accounts concerned'),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  })
  .meta({ id: 'OperatorEvent' })
export type OperatorEvent = z.infer<typeof operatorEvent>

export const listOperatorEvents = endpoint({
  method: 'GET',
  path: '/api/operator/events',
  service: 'files',
  access: 'operator',
  summary: 'List operators’ actions',
  description:
    'Actions by HTTP, except on deliveries, newest first. Kept as long as the audit log. The logs of the accounts concerned show the effects with an operator as the actor.',
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ events: z.array(operatorEvent), nextCursor }) },
  errors: [],
})
