import { z } from 'zod'
import { auditEvent, eventKind } from '../public/audit-event.ts'
import { uuid } from '../public/id.ts'
import { defineMessage } from './message.ts'

/** Auth replies once the entry is stored, and stores each ID once. Until then the sender keeps the entry. */
export const auditRecord = defineMessage('audit.record.v1', auditEvent.extend({ accountId: uuid, kind: eventKind }))
export type AuditRecord = z.infer<typeof auditRecord.schema>

/** `refused`: auth cannot read the entry and will never store it. */
export const auditReply = z.enum(['kept', 'refused', 'later'])
export type AuditReply = z.infer<typeof auditReply>
