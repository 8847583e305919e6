import { recheckApiKeys } from '@tideport/contracts/internal/api'
import { serve } from '@tideport/service-kit/http/route'
import type { AnswerLife } from '@tideport/service-kit/process/answer-life'
import type { Kysely } from 'kysely'
import { checkFound } from '../keys/check-found.ts'
import { findKeys } from '../keys/find-key.ts'
import type { AuthDb } from '../tables.ts'

/**
 * `POST /internal/api-keys/recheck`: which keys are still valid. Gateways send the keys of their open requests, many at
 * once (docs/adr/0126). This does not count as a use of the keys: the request itself was recorded when it began.
 */
export function recheckApiKeysRoute({ db, answerLife }: { db: Kysely<AuthDb>; answerLife: AnswerLife }) {
  return serve(recheckApiKeys, async ({ body: { digests } }) => {
    const keys = (await findKeys(db, digests)).map((found) => {
      const result = checkFound(found)
      return 'refusal' in result ? result : { usableMs: answerLife.usableMs(result.key.endsInMs) }
    })
    return { keys }
  })
}
