import { listApiKeys } from '@tideport/contracts/public/api-keys'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { decodeCursor, encodeCursor, type ListOrder, type ListPosition } from '../keys/list-cursor.ts'
import { toApiKey } from '../keys/views.ts'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'

/** `GET /api/auth/api-keys`. Revoked keys only with `includeRevoked=true`; expired ones are always listed. */
export function listApiKeysRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(listApiKeys, async ({ principal, query: { sortBy, order, includeRevoked = false, cursor, limit } }) => {
    const list = { sortBy, order, includeRevoked }
    const after = cursor === undefined ? null : decodeCursor(list, cursor)
    const rows = await selectPage(db, { accountId: principal.accountId, list, after, limit: limit + 1 })
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      apiKeys: page.map(toApiKey),
      nextCursor: last === undefined ? null : encodeCursor(list, positionOf(last, list)),
    }
  })
}

interface PageQuery {
  accountId: string
  list: ListOrder
  after: ListPosition | null
  limit: number
}

async function selectPage(db: Kysely<AuthDb>, { accountId, list, after, limit }: PageQuery): Promise<ApiKeyRow[]> {
  let query = db.selectFrom('apiKey').select(apiKeyColumns).where('accountId', '=', accountId)
  if (!list.includeRevoked) query = query.where('revokedAt', 'is', null)
  if (after !== null) {
    const isAfter = list.order === 'asc' ? '>' : '<'
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple(list.sortBy, 'id'), isAfter, tuple(after.value, after.id)),
    )
  }
  return await query.orderBy(list.sortBy, list.order).orderBy('id', list.order).limit(limit).execute()
}

function positionOf(row: ApiKeyRow, { sortBy }: ListOrder): ListPosition {
  return { value: sortBy === 'name' ? row.name : row.createdAt.toISOString(), id: row.id }
}
