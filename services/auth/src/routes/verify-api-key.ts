import { verifyApiKey } from '@tideport/contracts/internal/api'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { checkFound } from '../keys/check-found.ts'
import { createFindKey } from '../keys/find-key.ts'
import type { KeyUsage } from '../keys/key-usage.ts'
import type { AuthDb } from '../tables.ts'

interface Deps {
  db: Kysely<AuthDb>
  batching: Batching
  keyUsage: KeyUsage
  answerLife: AnswerLife
}

/** `POST /internal/api-keys/verify`: who holds the key with this digest, and for how long that may be believed. */
export function verifyApiKeyRoute({ db, batching, keyUsage, answerLife }: Deps) {
  const findKey = createFindKey(db, batching)
  return serve(verifyApiKey, async ({ body }) => {
    const result = checkFound(await findKey(body.digest))
    if ('refusal' in result) throw new AppError(result.refusal.code, result.refusal.error)
    const found = result.key
    if (found.isUseStale) keyUsage.record(found.id)
    const { id: keyId, accountId, keyPrefix, scopes, limits, budgets } = found
    const principal: AccountPrincipal = {
      ...{ kind: 'account', accountId, method: 'api_key', keyId, keyPrefix, scopes },
      ...(limits && { limits: { vaultIds: limits.vaultIds, prefixes: limits.prefixes, verbs: limits.verbs, budgets } }),
    }
    const addresses = limits?.addresses
    return { ...principal, ...(addresses && { addresses }), usableMs: answerLife.usableMs(found.endsInMs) }
  })
}
