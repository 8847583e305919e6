import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { auditEvent, eventKind, fileEvent } from './audit-event.ts'
import { uuid } from './id.ts'
import { moment, nextCursor, pageQuery } from './list.ts'

export const listAccountEvents = endpoint({
  method: 'GET',
  path: '/api/account/events',
  service: 'auth',
  access: 'account:read',
  summary: 'List the audit log',
  description:
    'Actions on this account’s keys, logins, and webhooks: by whom, from which address, and in which request. Newest first; kept for a year. For files and vaults: `/api/account/file-events`.',
  query: z.object({
    ...pageQuery,
    kind: eventKind.optional(),
    after: moment.optional().describe('At this time or later'),
    before: moment.optional().describe('Before this time'),
  }),
  success: { status: 200, schema: z.object({ events: z.array(auditEvent.meta({ id: 'AccountEvent' })), nextCursor }) },
  errors: [],
})

export const listFileEvents = endpoint({
  method: 'GET',
  path: '/api/account/file-events',
  service: 'files',
  access: 'account:read',
  summary: 'List the audit log of files and vaults',
  description:
    'Actions on this account’s files and vaults: by whom, from which address, and in which request. Newest first. Kept while the file or vault exists, and for a year after its purge. `subjectId` selects one file or vault. If filters exclude almost everything, pages before the last one may be short or empty.',
  query: z.object({
    ...pageQuery,
    subjectId: uuid.optional().describe('A file or vault, which may be purged'),
    kind: eventKind.optional(),
    keyId: uuid.optional().describe('Actions with this API key'),
    after: moment.optional().describe('At this time or later'),
    before: moment.optional().describe('Before this time'),
  }),
  success: { status: 200, schema: z.object({ events: z.array(fileEvent.meta({ id: 'FileEvent' })), nextCursor }) },
  errors: [],
})
