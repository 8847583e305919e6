import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import type { AuditMethod, AuditOrigin } from '@tideport/contracts/public/audit-event'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import type { RouteInput } from '@tideport/service-kit/http/route'
import { type Kysely, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { keyDetails, recordEvent } from '../audit/record-event.ts'
import { type AuthDb, apiKeyColumns } from '../tables.ts'
import { createKeySecret } from './key-secret.ts'
import { isInUse } from './limits.ts'
import { toApiKey } from './views.ts'

const sessionHours = 12
/** One more sign-in revokes the oldest session. */
const sessionsMax = 100

/**
 * A session is an API key, so that gateways, revocations, and the audit log handle it like any other key. The account
 * must be locked. Deletes expired sessions, of which the audit log keeps the record.
 */
export async function createSession(trx: Transaction<AuthDb>, accountId: string, origin: AuditOrigin) {
  const { key, keyPrefix, digest } = createKeySecret()
  await trx
    .deleteFrom('apiKey')
    .where('accountId', '=', accountId)
    .where('isSession', '=', true)
    .where('expiresAt', '<', sql<Date>`now()`)
    .execute()
  await sql`
    update api_key set revoked_at = now() where id in (
      select id from api_key where account_id = ${accountId} and is_session and ${isInUse}
      order by created_at desc, id desc offset ${sessionsMax - 1})`.execute(trx)
  const row = await trx
    .insertInto('apiKey')
    .values({
      ...{ id: uuidv7(), accountId, name: 'session', keyPrefix, digest, isSession: true },
      expiresAt: sql<Date>`now() + ${sessionHours}::int * interval '1 hour'`,
    })
    .returning(apiKeyColumns)
    .executeTakeFirstOrThrow()
  const entry = {
    accountId,
    kind: 'key.created',
    subjectId: row.id,
    details: { ...keyDetails(row), isSession: true },
  } as const
  await recordEvent(trx, entry, origin)
  return { ...toApiKey(row), key }
}

export async function isSession(db: Kysely<AuthDb>, keyId: string): Promise<boolean> {
  const row = await db
    .selectFrom('apiKey')
    .select('id')
    .where('id', '=', keyId)
    .where('isSession', '=', true)
    .where(isInUse)
    .executeTakeFirst()
  return row !== undefined
}

/** The origin of a sign-in, whose request has no principal yet. */
export function signInOrigin(method: AuditMethod, { headers }: Pick<RouteInput['request'], 'headers'>): AuditOrigin {
  return {
    actor: { method, keyId: null, keyPrefix: null, subject: null },
    clientAddress: headers[clientAddressHeader]?.toString() ?? null,
    requestId: currentTrace().requestId,
  }
}
