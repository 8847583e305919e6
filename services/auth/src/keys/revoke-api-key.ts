import { revokeApiKey } from '@tideport/contracts/public/api-keys'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { serve } from '@tideport/service-kit/http/route'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import type { Kysely } from 'kysely'
import { keyDetails, recordEvents } from '../audit/record-event.ts'
import type { ApiKeyRow, AuthDb } from '../tables.ts'
import { holdAccount } from './limits.ts'
import { revokeFamily } from './revoke-family.ts'
import { readSeenKey } from './seen-keys.ts'
import { toApiKey } from './views.ts'

/**
 * Revokes a key and those created with it (ADR 0023). Responds when no gateway accepts them any more (spec §5.5,
 * ADR 0022). A repeated request also waits, returns the first revocation's time, and writes no audit log entry.
 */
export function revokeApiKeyRoute({ db, answerLife }: { db: Kysely<AuthDb>; answerLife: AnswerLife }) {
  return serve(revokeApiKey, async ({ principal, params: { apiKeyId }, request }) => {
    const { accountId } = principal
    await readSeenKey(db, principal, apiKeyId)
    await db.transaction().execute(async (trx) => {
      await holdAccount(trx, accountId)
      const revoked = await revokeFamily(trx, accountId, apiKeyId)
      const toEntry = (row: ApiKeyRow) => {
        return { accountId, kind: 'key.revoked', subjectId: row.id, details: keyDetails(row) } as const
      }
      await recordEvents(trx, revoked.map(toEntry), auditOriginOf({ principal, request }))
    })
    const row = await readSeenKey(db, principal, apiKeyId)
    await answerLife.untilUnused()
    return toApiKey(row)
  })
}
