import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { rotateApiKey } from '@tideport/contracts/public/api-keys'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { serve } from '@tideport/service-kit/http/route'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely, Selectable, Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { keyDetails, recordEvents } from '../audit/record-event.ts'
import type { ApiKeyRow, AuthDb } from '../tables.ts'
import { insertKey } from './create-api-key.ts'
import { createKeySecret } from './key-secret.ts'
import { assertRoomForOneMore, holdAccount, isInUse } from './limits.ts'
import { endFamily } from './revoke-family.ts'
import { createS3AccessKeyId, type S3SecretKeys } from './s3-credentials.ts'
import { areSeenBy } from './seen-keys.ts'
import { isSession } from './sessions.ts'
import { toCreatedApiKey } from './views.ts'

/** Gateways never cache a key for this long, whatever the settings. */
const SURELY_TOLD_SECONDS = 60

interface RotateDeps {
  db: Kysely<AuthDb>
  answerLife: AnswerLife
  s3SecretKeys: S3SecretKeys
}

/**
 * A key cannot rotate itself, or a thief could keep access (ADR 0023). After a short overlap, responds
 * only when no gateway remembers a later expiry of the old key.
 */
export function rotateApiKeyRoute({ db, answerLife, s3SecretKeys }: RotateDeps) {
  return serve(rotateApiKey, async ({ principal, params, body: { overlapSeconds }, request }) => {
    const { accountId } = principal
    const secret = createKeySecret()
    const made = await db.transaction().execute(async (trx) => {
      await holdAccount(trx, accountId)
      const old = await findRotatable(trx, principal, params.apiKeyId)
      await assertRoomForOneMore(trx, accountId)
      const { name, parentId, scopes, expiresInDays, limits, budgets } = old
      const s3AccessKey = old.s3AccessKey === null ? null : createS3AccessKeyId()
      const rights = { parentId, scopes, expiresInDays, limits, budgets }
      const successor = { id: uuidv7(), accountId, name, s3AccessKey, ...rights }
      const made = await insertKey(trx, secret, successor)
      const ended = await endFamily(trx, { accountId, keyId: old.id, seconds: overlapSeconds })
      const toEntry = (key: ApiKeyRow) => {
        const [kind, more] =
          key.id === old.id ? (['key.rotated', { newKeyId: made.id }] as const) : (['key.shortened', {}] as const)
        return { accountId, kind, subjectId: key.id, details: { ...keyDetails(key), ...more } }
      }
      const created = { accountId, kind: 'key.created', subjectId: made.id, details: keyDetails(made) } as const
      await recordEvents(trx, [created, ...ended.map(toEntry)], auditOriginOf({ principal, request }))
      return made
    })
    if (overlapSeconds < SURELY_TOLD_SECONDS) await answerLife.untilUnused()
    return toCreatedApiKey(made, secret.key, s3SecretKeys)
  })
}

type Old = Selectable<AuthDb['apiKey']>

/** Throws unless the key is valid and the principal may rotate it. */
async function findRotatable(trx: Transaction<AuthDb>, principal: AccountPrincipal, keyId: string): Promise<Old> {
  const old = await trx
    .selectFrom('apiKey')
    .selectAll()
    .select(isInUse.as('isInUse'))
    .where('id', '=', keyId)
    .where(areSeenBy(principal))
    .executeTakeFirstOrThrow(() => notFound())
  if (old.isSession) throw new AppError('state_conflict', 'A session cannot be rotated. Sign in again.')
  const isLogin = principal.keyId === undefined || (await isSession(trx, principal.keyId))
  if (!isLogin && principal.keyId !== old.parentId) {
    throw outsideLimits('Rotate an API key with a login or with its parent key', { limit: 'parent' })
  }
  if (!old.isInUse) throw new AppError('state_conflict', 'The API key has been revoked or has expired')
  return old
}
