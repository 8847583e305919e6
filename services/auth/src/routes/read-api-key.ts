import { readApiKey } from '@tideport/contracts/public/api-keys'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { areSeenBy } from '../keys/seen-keys.ts'
import { toApiKey } from '../keys/views.ts'
import { type AuthDb, apiKeyColumns } from '../tables.ts'

/** `GET /api/auth/api-keys/:apiKeyId`, revoked and expired ones too. */
export function readApiKeyRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(readApiKey, async ({ principal, params }) => {
    const row = await db
      .selectFrom('apiKey')
      .select(apiKeyColumns)
      .where('id', '=', params.apiKeyId)
      .where(areSeenBy(principal))
      .executeTakeFirst()
    if (row === undefined) throw notFound()
    return toApiKey(row)
  })
}
