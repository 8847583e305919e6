import { scopes as allScopes, type Scope } from '@tideport/contracts/endpoint/scope'
import { createApiKey } from '@tideport/contracts/public/api-keys'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { keyDetails, recordEvent } from '../audit/record-event.ts'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'
import { createKeySecret, type KeySecret } from './key-secret.ts'
import { assertRoomForOneMore, holdAccount } from './limits.ts'
import { allLimits, budgetsOf, narrowLimits } from './narrow-limits.ts'
import { toApiKey } from './views.ts'

/** `POST /api/auth/api-keys`. The key itself is in this answer and nowhere else. */
export function createApiKeyRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(createApiKey, async ({ principal, body, request }) => {
    const scopes = body.scopes == null ? null : [...new Set(body.scopes)]
    assertMayGrant(principal.scopes, scopes)
    const secret = createKeySecret()
    const { accountId } = principal
    const { name, expiresInDays = null } = body
    const row = await db.transaction().execute(async (trx) => {
      await holdAccount(trx, accountId)
      const parent = principal.keyId === undefined ? null : await findParent(trx, principal.keyId)
      await assertRoomForOneMore(trx, accountId)
      const id = uuidv7()
      const wanted = allLimits(body.limits ?? {})
      const limits = narrowLimits(parent?.limits ?? null, wanted)
      const budgets = budgetsOf(id, parent?.budgets ?? [], wanted)
      const key = { id, accountId, name, parentId: parent?.id ?? null, scopes, limits, budgets, expiresInDays }
      const row = await insertKey(trx, secret, key)
      const entry = { accountId, kind: 'key.created', subjectId: row.id, details: keyDetails(row) } as const
      await recordEvent(trx, entry, auditOriginOf({ principal, request }))
      return row
    })
    return { ...toApiKey(row), key: secret.key }
  })
}

/** A key grants only scopes its maker holds; null, full access, is more than any list. */
function assertMayGrant(held: readonly Scope[] | null, granted: readonly Scope[] | null): void {
  if (held === null) return
  const missing = (granted ?? allScopes).find((scope) => !held.includes(scope))
  if (granted !== null && missing === undefined) return
  throw new AppError('insufficient_scope', 'A key can only grant scopes it holds itself', {
    details: { requiredScope: missing ?? null },
  })
}

type Parent = Pick<Selectable<AuthDb['apiKey']>, 'id' | 'limits' | 'budgets'>

/** The key that is used, if it still holds. */
async function findParent(trx: Transaction<AuthDb>, keyId: string): Promise<Parent> {
  const parent = await trx
    .selectFrom('apiKey')
    .select(['id', 'limits', 'budgets', 'revokedAt', sql<boolean>`expires_at <= now()`.as('isExpired')])
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (parent === undefined || parent.revokedAt !== null)
    throw new AppError('api_key_revoked', 'The API key has been revoked')
  if (parent.isExpired) throw new AppError('api_key_expired', 'The API key has expired')
  return parent
}

type NewKey = Pick<
  Selectable<AuthDb['apiKey']>,
  'id' | 'accountId' | 'name' | 'parentId' | 'scopes' | 'expiresInDays' | 'limits' | 'budgets'
>

/** Expires after `expiresInDays`, and never later than its parent. */
export async function insertKey(
  trx: Transaction<AuthDb>,
  { keyPrefix, digest }: KeySecret,
  { limits, budgets, ...key }: NewKey,
): Promise<ApiKeyRow> {
  const expiresAt = sql<Date | null>`least(now() + ${key.expiresInDays}::int * interval '24 hours',
    (select expires_at from api_key where id = ${key.parentId}))`
  return await trx
    .insertInto('apiKey')
    .values({
      ...{ ...key, keyPrefix, digest, expiresAt },
      ...{ limits: limits && JSON.stringify(limits), budgets: JSON.stringify(budgets) },
    })
    .returning(apiKeyColumns)
    .executeTakeFirstOrThrow()
}
