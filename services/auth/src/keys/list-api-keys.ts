import { listApiKeys } from '@tideport/contracts/public/api-keys'
import { listCursor, positionParts, toPage } from '@tideport/service-kit/http/list-cursor'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { Kysely, RawBuilder } from 'kysely'
import { z } from 'zod'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'
import { areSeenBy } from './seen-keys.ts'
import { toApiKey } from './views.ts'

type Query = RouteInput<typeof listApiKeys>['query']

const position = z.object({ createdAt: positionParts.time, name: positionParts.text, id: positionParts.id })

/** `GET /api/auth/api-keys`. Includes revoked keys only with `includeRevoked=true`. */
export function listApiKeysRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(listApiKeys, async ({ principal, query }) => {
    const { sortBy, order, includeRevoked = false, cursor, limit } = query
    const list = { reader: principal.accountId, list: 'api keys', sortBy, order, includeRevoked }
    const cursors = await listCursor(db, list, position)
    const rows = await selectPage(db, areSeenBy(principal), query, cursors.decode(cursor))
    const { page, nextCursor } = toPage(cursors, rows, limit)
    return { apiKeys: page.map(toApiKey), nextCursor }
  })
}

async function selectPage(
  db: Kysely<AuthDb>,
  areSeen: RawBuilder<boolean>,
  { sortBy, order, includeRevoked, limit }: Query,
  last: z.infer<typeof position> | null,
): Promise<ApiKeyRow[]> {
  let query = db.selectFrom('apiKey').select(apiKeyColumns).where(areSeen)
  if (!includeRevoked) query = query.where('revokedAt', 'is', null)
  if (last !== null) {
    const isAfter = order === 'asc' ? '>' : '<'
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple(sortBy, 'id'), isAfter, tuple(last[sortBy], last.id)))
  }
  return await query
    .orderBy(sortBy, order)
    .orderBy('id', order)
    .limit(limit + 1)
    .execute()
}
