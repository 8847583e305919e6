import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb, LinkRow } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

/** Links per account, including expired and revoked ones that are still listed. */
export const LINKS_MAX = 10_000

export type Target = { fileId: string } | { vaultId: string; prefix: string }

export interface Bounds {
  maxFiles: number
  maxFileBytes: number
  maxBytes: number
  mimeTypes: string[] | null
  received: 'review' | 'publish'
}

interface NewLink {
  accountId: string
  target: Target
  digest: Buffer
  passwordHash: string | null
  expiresInSeconds: number | null
  maxDownloads: number | null
  upload: Bounds | null
  keyId: string | null
}

/** Predicts the result of `createLink` before a password is hashed. Null: the account has no such file or vault. */
export async function foreseeLink(
  db: Kysely<FilesDb>,
  { accountId, target }: Pick<NewLink, 'accountId' | 'target'>,
): Promise<'free' | 'too_many' | null> {
  const { rows } = await sql<{ isFull: boolean; isThere: boolean }>`
    select exists (${lastPlace(accountId)}) as is_full,
      exists (select from ${targetRow(target)} and account_id = ${accountId}) as is_there`.execute(db)
  const [seen] = rows
  if (seen?.isFull) return 'too_many'
  return seen?.isThere ? 'free' : null
}

/** Creates a link and its event. Null: the account has no such file or vault. */
export async function createLink(db: Kysely<FilesDb>, link: NewLink): Promise<LinkRow | 'too_many' | null> {
  const { accountId, target, keyId, upload } = link
  const [what, prefix] = 'fileId' in target ? [sql`file_id`, null] : [sql`vault_id, prefix`, target.prefix]
  const of = 'fileId' in target ? sql`id` : sql`id, ${prefix}::text`
  return await db.transaction().execute(async (trx) => {
    // Without the lock, two concurrent requests could both take the last place.
    await sql`select from account where id = ${accountId} for no key update`.execute(trx)
    const { rows: taken } = await lastPlace(accountId).execute(trx)
    if (taken.length > 0) return 'too_many'
    const { rows } = await sql<LinkRow>`
      with made as (
        insert into link (id, account_id, ${what}, digest, password_hash, expires_at, max_downloads,
          max_files, max_file_bytes, max_bytes, mime_types, received, key_id)
        select ${uuidv7()}::uuid, account_id, ${of}, ${link.digest}::bytea, ${link.passwordHash}::text,
          now() + make_interval(secs => ${link.expiresInSeconds}), ${link.maxDownloads}::bigint,
          ${upload?.maxFiles ?? null}::bigint, ${upload?.maxFileBytes ?? null}::bigint, ${upload?.maxBytes ?? null}::bigint,
          ${upload?.mimeTypes ?? null}::text[], ${upload?.received ?? null}::text, ${keyId}::uuid
        from ${targetRow(target)} and account_id = ${accountId}
        returning *
      ), told as (${linkEvent('link.created', target, sql`made`)})
      select * from made`.execute(trx)
    return rows[0] ?? null
  })
}

function lastPlace(accountId: string) {
  return sql`select from link where account_id = ${accountId} order by created_at, id offset ${LINKS_MAX - 1} limit 1`
}

/** An unconfirmed file may have a link. The link works after the file is confirmed. */
function targetRow(target: Target): RawBuilder<unknown> {
  return 'fileId' in target
    ? sql`file where id = ${target.fileId} and ${isLive}`
    : sql`vault where id = ${target.vaultId} and deleted_at is null`
}

/** The event belongs to the file or vault, so it appears in the file's timeline and in the log. */
export function linkEvent(type: string, target: Target, from: RawBuilder<unknown>): RawBuilder<unknown> {
  const isOfFile = 'fileId' in target
  const payload = sql`jsonb_strip_nulls(jsonb_build_object('linkId', link_id, 'prefix', prefix,
    'hasPassword', nullif(password_hash is not null, false), 'maxDownloads', max_downloads,
    'maxFiles', max_files, 'maxBytes', max_bytes, 'received', received,
    'expiresAt', to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`
  const subject = isOfFile ? sql`file_id` : sql`vault_id`
  return appendEvents({
    kind: isOfFile ? 'file' : 'vault',
    type,
    payload,
    from: sql`(select ${subject} as id, id as link_id, account_id, prefix, password_hash, max_downloads, max_files, max_bytes,
      received, expires_at
      from ${from}) as link`,
  })
}
