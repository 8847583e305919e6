import { findS3Key, recheckApiKeys, verifyApiKey } from '@tideport/contracts/internal/api'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { AuthDb } from '../tables.ts'
import { checkFound, createFindKey, type FoundKey, findKeys } from './find-key.ts'
import type { KeyUsage } from './key-usage.ts'
import { isSigningDay, type S3SecretKeys, signingKeysOf } from './s3-credentials.ts'

export interface VerifyDeps {
  db: Kysely<AuthDb>
  batching: Batching
  keyUsage: KeyUsage
  answerLife: AnswerLife
  s3SecretKeys: S3SecretKeys
}

/** `POST /internal/api-keys/verify`: the principal of the key with this digest, and how long it may be cached. */
export function verifyApiKeyRoute(deps: VerifyDeps) {
  const findKey = createFindKey(deps.db, deps.batching, 'digest')
  return serve(verifyApiKey, async ({ body }) => useKey(await findKey(body.digest), deps))
}

/** The same for the S3 API, with what verifies the signatures of one day. The secret itself is never sent. */
export function findS3KeyRoute(deps: VerifyDeps) {
  const findKey = createFindKey(deps.db, deps.batching, 's3AccessKey')
  return serve(findS3Key, async ({ body }) => {
    if (!isSigningDay(body.date, Date.now())) {
      throw new AppError('unauthenticated', 'The signature is of a day that is too long ago or in the future')
    }
    const found = await findKey(body.accessKey)
    const used = useKey(found, deps)
    return { ...used, digest: found?.digest ?? '', signingKeys: signingKeysOf(body, deps.s3SecretKeys) }
  })
}

/** Throws 401 with the reason unless the key is valid. */
function useKey(found: FoundKey | undefined, { keyUsage, answerLife }: Pick<VerifyDeps, 'keyUsage' | 'answerLife'>) {
  const result = checkFound(found)
  if ('refusal' in result) throw new AppError(result.refusal.code, result.refusal.error)
  const { key } = result
  if (key.isUseStale) keyUsage.record(key.id)
  const { id: keyId, accountId, keyPrefix, scopes, limits, budgets, isSession } = key
  const principal: AccountPrincipal = {
    ...{ kind: 'account', accountId, method: 'api_key', keyId, keyPrefix, scopes },
    // Only the owner of the installation has sessions (ADR 0024).
    ...(isSession && { isOperator: true }),
    ...(limits && { limits: { vaultIds: limits.vaultIds, prefixes: limits.prefixes, verbs: limits.verbs, budgets } }),
  }
  const addresses = limits?.addresses
  return { ...principal, ...(addresses && { addresses }), usableMs: answerLife.usableMs(key.endsInMs) }
}

/** Checks the keys of the gateways' open requests (ADR 0022). Does not count as a use of the keys. */
export function recheckApiKeysRoute({ db, answerLife }: Pick<VerifyDeps, 'db' | 'answerLife'>) {
  return serve(recheckApiKeys, async ({ body: { digests } }) => {
    const keys = (await findKeys(db, 'digest', digests)).map((found) => {
      const result = checkFound(found)
      return 'refusal' in result ? result : { usableMs: answerLife.usableMs(result.key.endsInMs) }
    })
    return { keys }
  })
}
