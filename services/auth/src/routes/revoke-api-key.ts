import { revokeApiKey } from '@tideport/contracts/public/api-keys'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { toApiKey } from '../keys/views.ts'
import { type AuthDb, apiKeyColumns } from '../tables.ts'

/**
 * `DELETE /api/auth/api-keys/:apiKeyId`. Takes effect at once on every gateway because each request reads this row
 * (spec §5.5). The first revocation's time stays, so a repetition answers the same.
 */
export function revokeApiKeyRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(revokeApiKey, async ({ principal, params }) => {
    const row = await db
      .updateTable('apiKey')
      .set({ revokedAt: sql`coalesce(revoked_at, now())` })
      .where('id', '=', params.apiKeyId)
      .where('accountId', '=', principal.accountId)
      .returning(apiKeyColumns)
      .executeTakeFirst()
    if (row === undefined) throw notFound()
    return toApiKey(row)
  })
}
