import { readApiKey } from '@tideport/contracts/public/api-keys'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { readSeenKey } from '../keys/seen-keys.ts'
import { toApiKey } from '../keys/views.ts'
import type { AuthDb } from '../tables.ts'

/** `GET /api/auth/api-keys/:apiKeyId`, revoked and expired ones too. */
export function readApiKeyRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(readApiKey, async ({ principal, params }) => toApiKey(await readSeenKey(db, principal, params.apiKeyId)))
}
