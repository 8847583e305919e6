import { scopes as allScopes, type Scope } from '@tideport/contracts/endpoint/scope'
import type { ByteBudgets } from '@tideport/contracts/internal/key-limits'
import { createApiKey, type KeyLimits } from '@tideport/contracts/public/api-keys'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { isIn, readNetwork } from '@tideport/service-kit/http/ip-address'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { keyDetails, recordEvent } from '../audit/record-event.ts'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'
import { createKeySecret, type KeySecret } from './key-secret.ts'
import { assertRoomForOneMore, holdAccount } from './limits.ts'
import { createS3AccessKeyId, type S3SecretKeys } from './s3-credentials.ts'
import { toCreatedApiKey } from './views.ts'

/** `POST /api/auth/api-keys`. Only this response contains the key. */
export function createApiKeyRoute({ db, s3SecretKeys }: { db: Kysely<AuthDb>; s3SecretKeys: S3SecretKeys }) {
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
      const s3AccessKey = body.s3 ? createS3AccessKeyId() : null
      const rights = { parentId: parent?.id ?? null, scopes, limits, budgets, expiresInDays }
      const key = { id, accountId, name, s3AccessKey, ...rights }
      const row = await insertKey(trx, secret, key)
      const entry = { accountId, kind: 'key.created', subjectId: row.id, details: keyDetails(row) } as const
      await recordEvent(trx, entry, auditOriginOf({ principal, request }))
      return row
    })
    return toCreatedApiKey(row, secret.key, s3SecretKeys)
  })
}

/** A key can grant only scopes that it has. Null means full access and exceeds any list. */
function assertMayGrant(held: readonly Scope[] | null, granted: readonly Scope[] | null): void {
  if (held === null) return
  const missing = (granted ?? allScopes).find((scope) => !held.includes(scope))
  if (granted !== null && missing === undefined) return
  throw new AppError('insufficient_scope', 'An API key can grant only scopes that it has itself', {
    details: { requiredScope: missing ?? null },
  })
}

type Parent = Pick<Selectable<AuthDb['apiKey']>, 'id' | 'limits' | 'budgets'>

/** The key of the request, if it is still valid. Null for a session: like any login, it is the parent of no key. */
async function findParent(trx: Transaction<AuthDb>, keyId: string): Promise<Parent | null> {
  const parent = await trx
    .selectFrom('apiKey')
    .select(['id', 'limits', 'budgets', 'isSession', 'revokedAt', sql<boolean>`expires_at <= now()`.as('isExpired')])
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (parent === undefined || parent.revokedAt !== null)
    throw new AppError('api_key_revoked', 'The API key has been revoked')
  if (parent.isExpired) throw new AppError('api_key_expired', 'The API key has expired')
  return parent.isSession ? null : parent
}

type NewKey = Pick<
  Selectable<AuthDb['apiKey']>,
  'id' | 'accountId' | 'name' | 'parentId' | 'scopes' | 'expiresInDays' | 'limits' | 'budgets' | 's3AccessKey'
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

/** How many ancestors of a key may have a byte limit: each adds a row to count in. */
const BUDGETS_MAX = 8

/** Omitted limits are null. */
function allLimits(given: { [Limit in keyof KeyLimits]?: KeyLimits[Limit] | undefined }): KeyLimits {
  const { vaultIds = null, prefixes = null, verbs = null, bytesPerDay = null, addresses = null } = given
  return { vaultIds, prefixes, verbs, bytesPerDay, addresses }
}

/**
 * The limits of a new key whose parent has the limits `held`. Omitted limits are inherited. Throws 403 if one is wider.
 */
function narrowLimits(held: KeyLimits | null, wanted: KeyLimits): KeyLimits | null {
  const unlimited = Object.values(wanted).every((limit) => limit === null)
  if (held === null) return unlimited ? null : wanted
  const bytesPerDay = wanted.bytesPerDay ?? held.bytesPerDay
  if ((bytesPerDay ?? 0) > (held.bytesPerDay ?? Number.POSITIVE_INFINITY)) throw beyond('bytesPerDay')
  return {
    bytesPerDay,
    vaultIds: narrow('vaultIds', held.vaultIds, wanted.vaultIds, (id, ids) => ids.includes(id)),
    prefixes: narrow('prefixes', held.prefixes, wanted.prefixes, (prefix, prefixes) =>
      prefixes.some((outer) => prefix.startsWith(outer)),
    ),
    verbs: narrow('verbs', held.verbs, wanted.verbs, (verb, verbs) => verbs.includes(verb)),
    addresses: narrow('addresses', held.addresses, wanted.addresses, (network, networks) =>
      networks.some((outer) => contains(outer, network)),
    ),
  }
}

function budgetsOf(id: string, held: ByteBudgets, { bytesPerDay }: KeyLimits): ByteBudgets {
  if (bytesPerDay === null) return held
  if (held.length < BUDGETS_MAX) return [...held, { id, bytesPerDay }]
  const issues = [
    { path: 'limits.bytesPerDay', message: `Must be omitted: ${BUDGETS_MAX} keys above this key have one` },
  ]
  throw invalidInput('body', issues)
}

function narrow<T>(
  limit: string,
  held: T[] | null,
  wanted: T[] | null,
  isWithin: (one: T, held: T[]) => boolean,
): T[] | null {
  if (wanted === null) return held
  if (held !== null && !wanted.every((one) => isWithin(one, held))) throw beyond(limit)
  return [...new Set(wanted)]
}

function beyond(limit: string): AppError {
  return outsideLimits('The limits of an API key must be within those of its parent key', { limit })
}

/** A single address counts as a network. Any other text is in no network. */
function contains(outer: string, inner: string): boolean {
  const [network, within] = [readNetwork(outer), readNetwork(inner)]
  return network !== null && within !== null && within[1] >= network[1] && isIn(within[0], [network])
}
