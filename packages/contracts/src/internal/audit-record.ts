import { z } from 'zod'
import { auditEvent } from '../public/audit-event.ts'
import { uuid } from '../public/id.ts'
import { defineMessage } from './message.ts'

/**
 * What auth is asked to keep, as a request that it answers once it is kept; of entries with the same id it keeps one.
 * No stream is in between: who asks keeps the entry until then.
 */
export const auditRecord = defineMessage('audit.record.v1', auditEvent.extend({ accountId: uuid }))
export type AuditRecord = z.infer<typeof auditRecord.schema>

/** `refused`: it can never be kept, for auth cannot read it. */
export const auditReply = z.enum(['kept', 'refused', 'later'])
export type AuditReply = z.infer<typeof auditReply>
