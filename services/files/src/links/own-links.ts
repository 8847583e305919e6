import type { FilesDb, LinkRow } from '@tideport/file-lifecycle/state/tables'
import type { NamedList } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Page, type PageQuery, readPage } from '../lists/list-page.ts'
import { isOpen } from './find-link.ts'
import { linkEvent } from './insert-link.ts'

export type OwnLink = LinkRow & { isOpen: boolean; path: string | null }

const seen = sql`link.*, ${isOpen} as is_open, (select file.path from file where file.id = link.file_id) as path`

/** Null for links of another account as well. */
export async function findOwnLink(db: Kysely<FilesDb>, accountId: string, linkId: string): Promise<OwnLink | null> {
  const { rows } = await sql<OwnLink>`
    select ${seen} from link
    where id = ${linkId} and account_id = ${accountId}`.execute(db)
  return rows[0] ?? null
}

export function listOwnLinks(
  db: Kysely<FilesDb>,
  page: Pick<PageQuery, 'cursor' | 'limit'>,
  { named, where }: { named: NamedList; where: RawBuilder<unknown> },
): Promise<Page<OwnLink>> {
  const inOrder = { ...page, sortBy: 'createdAt', order: 'desc' } as const
  return readPage<OwnLink>(
    db,
    inOrder,
    named,
    ({ position, isNext, orderBy, limit }) => sql`
      select ${seen}, ${position} as position from link
      where ${where} and ${isNext} order by ${orderBy} limit ${limit}`,
  )
}

/**
 * Revokes a link and appends an event. A link that is already revoked does not change. Null: the account has no such
 * link.
 */
export async function endLink(db: Kysely<FilesDb>, accountId: string, linkId: string): Promise<OwnLink | null> {
  const link = await findOwnLink(db, accountId, linkId)
  if (link === null || link.revokedAt !== null) return link
  const { fileId, vaultId, prefix } = link
  const target = fileId !== null ? { fileId } : { vaultId: vaultId ?? '', prefix: prefix ?? '' }
  await sql`
    with changed as (
      update link set revoked_at = now() where id = ${linkId} and account_id = ${accountId} and revoked_at is null
      returning *
    )
    ${linkEvent('link.revoked', target, sql`changed`)}`.execute(db)
  return await findOwnLink(db, accountId, linkId)
}
