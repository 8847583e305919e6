import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { auditEvent, auditKind } from './audit-event.ts'
import { moment, nextCursor, pageQuery } from './list.ts'

export const listAccountEvents = endpoint({
  method: 'GET',
  path: '/api/account/events',
  service: 'auth',
  access: 'account:read',
  summary: 'What was done to your account’s keys, logins and webhooks, by whom and from where, newest first',
  query: z.object({
    ...pageQuery,
    kind: auditKind.optional(),
    after: moment.optional().describe('At that time or later'),
    before: moment.optional().describe('Earlier than that'),
  }),
  success: { status: 200, schema: z.object({ events: z.array(auditEvent.meta({ id: 'AccountEvent' })), nextCursor }) },
  errors: [],
})
