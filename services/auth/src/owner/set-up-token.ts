import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { AuthDb } from '../tables.ts'

const digestOf = (token: string) => hash('sha256', token, 'buffer')

/** The fragment never reaches a server or a proxy, so their logs do not contain the token. */
export function setUpLink(publicUrl: string | undefined, token: string): string {
  return `${publicUrl?.replace(/\/+$/, '') ?? ''}/console/set-up#token=${token}`
}

/** Processes that start together print one token. A later start prints a new one, because the old one cannot be read. */
const togetherSeconds = 60

/** Creates the token of a new installation. Null if an account exists, or if another process has just created one. */
export async function createFirstToken(db: Kysely<AuthDb>): Promise<string | null> {
  const token = createToken()
  const { rows } = await sql`
    insert into set_up_token (digest)
    select ${digestOf(token)} where not exists (select from account)
    on conflict (singleton) do update set digest = excluded.digest, created_at = now(), expires_at = null
    where set_up_token.created_at < now() - make_interval(secs => ${togetherSeconds})
      and coalesce(set_up_token.expires_at < now(), true)
    returning 1`.execute(db)
  return rows.length === 1 ? token : null
}

/** Creates a token that is valid for a time, even if the installation has accounts or an owner. Replaces the last one. */
export async function createOperatorToken(db: Kysely<AuthDb>, seconds: number): Promise<string> {
  const token = createToken()
  await sql`
    insert into set_up_token (digest, expires_at) values (${digestOf(token)}, now() + make_interval(secs => ${seconds}))
    on conflict (singleton) do update set digest = excluded.digest, created_at = now(), expires_at = excluded.expires_at`.execute(
    db,
  )
  return token
}

const createToken = () => randomBytes(32).toString('base64url')

const isValid = sql<SqlBool>`case when expires_at is null then not exists (select from account) else expires_at > now() end`

/** Throws the same 404 for a wrong token, an expired one, and an installation that has been set up. */
export async function assertToken(db: Kysely<AuthDb>, token: string): Promise<string> {
  const row = await db.selectFrom('setUpToken').select('digest').where(isValid).executeTakeFirst()
  return assertEqual(row?.digest, token)
}

/** Deletes the token, if it is this one. Of simultaneous calls, the first one to commit succeeds. */
export async function useToken(trx: Kysely<AuthDb>, token: string): Promise<string> {
  const row = await trx
    .deleteFrom('setUpToken')
    .where('digest', '=', digestOf(token))
    .where(isValid)
    .returning('digest')
    .executeTakeFirst()
  return assertEqual(row?.digest, token)
}

/** Returns the digest as text. */
function assertEqual(digest: Buffer | undefined, token: string): string {
  const given = digestOf(token)
  if (digest === undefined || !timingSafeEqual(digest, given)) throw notFound()
  return given.toString('hex')
}
