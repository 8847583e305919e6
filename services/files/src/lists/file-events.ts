import { type RawBuilder, sql } from 'kysely'
import type { Keyset, ListedRow } from './list-page.ts'
import { ROWS_MAX } from './walk-files.ts'

/** An entry of the log of files and vaults, as its row says. */
export interface LoggedRow {
  id: string
  createdAt: Date
  subjectKind: 'file' | 'vault' | 'account'
  subjectId: string
  type: string
  payload: { data?: object } | object
  requestId: string
  actor: object
  clientAddress: string | null
}

export interface LogFilters {
  subjectId?: string | undefined
  kind?: string | undefined
  keyId?: string | undefined
  after?: string | undefined
  before?: string | undefined
}

/** A page of what was done to an account's files and vaults, looking through a bounded number of entries. */
export function walkFileEvents(
  accountId: string,
  { subjectId, kind, keyId, after, before }: LogFilters,
  { position, isNext, orderBy, limit }: Keyset,
): RawBuilder<ListedRow<LoggedRow>> {
  const among = [sql`account_id = ${accountId} and actor is not null`]
  if (subjectId !== undefined) among.push(isOf(subjectId))
  if (after !== undefined) among.push(sql`at >= ${after}::timestamptz`)
  if (before !== undefined) among.push(sql`at < ${before}::timestamptz`)
  const wanted = [sql`true`]
  if (kind !== undefined) wanted.push(sql`type = ${kind}`)
  if (keyId !== undefined) wanted.push(sql`actor->>'keyId' = ${keyId}`)
  return sql`
    select *, ${position} as position from (
      select *, (${sql.join(wanted, sql` and `)}) as is_wanted,
        row_number() over (order by ${orderBy}) = ${sql.lit(ROWS_MAX)} as is_end
      from (
        select * from (
          select id, at as created_at, subject_kind, subject_id, account_id, type, payload, request_id, actor, client_address
          from event where ${sql.join(among, sql` and `)}
        ) as event
        where ${isNext} order by ${orderBy} limit ${sql.lit(ROWS_MAX)}
      ) as event
    ) as event
    where is_wanted or is_end order by ${orderBy} limit ${limit}`
}

/** A file also went where its vault did: what took it along is told of the vault alone. */
function isOf(subjectId: string): RawBuilder<unknown> {
  return sql`subject_id = any(array[${subjectId}::uuid, (select vault_id from file where id = ${subjectId})])
    and (subject_id = ${subjectId} or type in ('vault.deleted', 'vault.restored', 'vault.purged'))`
}
