import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

/** What an operator asked for. */
export interface Operation {
  kind: string
  details: Record<string, string | number | boolean | null>
}

type Asked = Parameters<typeof auditOriginOf>[0]

/** Writes what an operator asked for, before it is done: it is in the log also when its process dies. */
export async function recordOperation(db: Kysely<FilesDb>, asked: Asked, { kind, details }: Operation): Promise<void> {
  const { accountId, subject = null } = asked.principal
  const { clientAddress, requestId } = auditOriginOf(asked)
  await sql`
    insert into operator_event (id, kind, account_id, subject, client_address, request_id, details)
    values (${uuidv7()}, ${kind}, ${accountId}, ${subject}, ${clientAddress}, ${requestId},
      ${JSON.stringify(details)}::jsonb)`.execute(db)
}
