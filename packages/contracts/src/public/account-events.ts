import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { auditEvent, auditKind } from './audit-event.ts'
import { moment, nextCursor, pageQuery } from './list.ts'

export const listAccountEvents = endpoint({
  method: 'GET',
  path: '/api/account/events',
  service: 'auth',
  access: 'account:read',
  summary: 'List the audit log',
  description:
    'What was done to this account’s keys, logins and webhooks: by whom, from where, in which request. Newest first; kept for a year.',
  query: z.object({
    ...pageQuery,
    kind: auditKind.optional(),
    after: moment.optional().describe('At this time or later'),
    before: moment.optional().describe('Before this time'),
  }),
  success: { status: 200, schema: z.object({ events: z.array(auditEvent.meta({ id: 'AccountEvent' })), nextCursor }) },
  errors: [],
})
