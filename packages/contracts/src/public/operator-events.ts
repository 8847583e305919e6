import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery } from './list.ts'

export const operatorEvent = z
  .object({
    id: uuid,
    at: instant,
    kind: z.string().describe('What was asked for, e.g. `redrive`; more may come'),
    accountId: uuid.describe('Of the operator'),
    subject: z.string().nullable().describe('The operator’s id at the identity provider'),
    clientAddress: z.string().nullable(),
    requestId: z.string().describe('The logs of the accounts concerned have it too'),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  })
  .meta({ id: 'OperatorEvent' })
export type OperatorEvent = z.infer<typeof operatorEvent>

export const listOperatorEvents = endpoint({
  method: 'GET',
  path: '/api/operator/events',
  service: 'files',
  access: 'operator',
  summary: 'List what operators did',
  description:
    'By HTTP, but for deliveries, newest first; kept as long as the audit log. What that did to files is in the logs of their accounts, as an operator’s.',
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ events: z.array(operatorEvent), nextCursor }) },
  errors: [],
})
