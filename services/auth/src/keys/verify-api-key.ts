import { recheckApiKeys, verifyApiKey } from '@tideport/contracts/internal/api'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { AuthDb } from '../tables.ts'
import { checkFound, createFindKey, findKeys } from './find-key.ts'
import type { KeyUsage } from './key-usage.ts'

export interface VerifyDeps {
  db: Kysely<AuthDb>
  batching: Batching
  keyUsage: KeyUsage
  answerLife: AnswerLife
}

/** `POST /internal/api-keys/verify`: the principal of the key with this digest, and how long it may be cached. */
export function verifyApiKeyRoute({ db, batching, keyUsage, answerLife }: VerifyDeps) {
  const findKey = createFindKey(db, batching)
  return serve(verifyApiKey, async ({ body }) => {
    const result = checkFound(await findKey(body.digest))
    if ('refusal' in result) throw new AppError(result.refusal.code, result.refusal.error)
    const found = result.key
    if (found.isUseStale) keyUsage.record(found.id)
    const { id: keyId, accountId, keyPrefix, scopes, limits, budgets, isSession } = found
    const principal: AccountPrincipal = {
      ...{ kind: 'account', accountId, method: 'api_key', keyId, keyPrefix, scopes },
      // Only the owner of the installation has sessions (ADR 0024).
      ...(isSession && { isOperator: true }),
      ...(limits && { limits: { vaultIds: limits.vaultIds, prefixes: limits.prefixes, verbs: limits.verbs, budgets } }),
    }
    const addresses = limits?.addresses
    return { ...principal, ...(addresses && { addresses }), usableMs: answerLife.usableMs(found.endsInMs) }
  })
}

/** Checks the keys of the gateways' open requests (ADR 0022). Does not count as a use of the keys. */
export function recheckApiKeysRoute({ db, answerLife }: Pick<VerifyDeps, 'db' | 'answerLife'>) {
  return serve(recheckApiKeys, async ({ body: { digests } }) => {
    const keys = (await findKeys(db, digests)).map((found) => {
      const result = checkFound(found)
      return 'refusal' in result ? result : { usableMs: answerLife.usableMs(result.key.endsInMs) }
    })
    return { keys }
  })
}
