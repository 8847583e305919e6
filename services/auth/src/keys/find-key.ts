import type { Batching } from '@tideport/service-kit/batching/batching'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { AuthDb } from '../tables.ts'

export interface FoundKey
  extends Pick<
    Selectable<AuthDb['apiKey']>,
    'id' | 'accountId' | 'keyPrefix' | 'scopes' | 'limits' | 'budgets' | 'isSession'
  > {
  /** Hexadecimal. */
  digest: string
  s3AccessKey: string | null
  isRevoked: boolean
  isExpired: boolean
  /** Time until the key expires, by the database's clock, rounded down. Null if more than a minute remains. */
  endsInMs: number | null
  /** The last use was recorded more than a minute ago, or never. */
  isUseStale: boolean
}

/** `digest`: the SHA-256 of the key. */
type Name = 'digest' | 's3AccessKey'

/** Finds the key with this name by a query that starts after the call. Undefined if the key is unknown. */
type FindKey = (name: string) => Promise<FoundKey | undefined>

export function createFindKey(db: Kysely<AuthDb>, batching: Batching, by: Name): FindKey {
  const find = batching.batch<string, FoundKey | undefined>((names) => findKeys(db, by, names), { pauses: false })
  return (name) => find('', name)
}

export async function findKeys(
  db: Kysely<AuthDb>,
  by: Name,
  names: readonly string[],
): Promise<(FoundKey | undefined)[]> {
  const found = new Map((await selectKeys(db, by, [...new Set(names)])).map((key) => [key[by], key]))
  return names.map((name) => found.get(name))
}

/** Only the database's clock decides on expiry. */
async function selectKeys(db: Kysely<AuthDb>, by: Name, names: readonly string[]): Promise<FoundKey[]> {
  const isNamed =
    by === 'digest'
      ? sql`digest = any((select ${names.map((digest) => Buffer.from(digest, 'hex'))}::bytea[])::bytea[])`
      : sql`s3_access_key = any((select ${names}::text[])::text[])`
  // The subquery hides the list's length from the planner, which would otherwise plan short lists again each time.
  const { rows } = await sql<FoundKey>`
    select id, account_id, key_prefix, scopes, limits, budgets, is_session, s3_access_key, encode(digest, 'hex') as digest, revoked_at is not null as is_revoked,
      coalesce(expires_at <= now(), false) as is_expired,
      case when expires_at > now() and expires_at < now() + interval '1 minute'
        then floor(extract(epoch from expires_at - now()) * 1000)::int end as ends_in_ms,
      coalesce(last_used_at < now() - interval '1 minute', true) as is_use_stale
    from api_key
    where ${isNamed}`.execute(db)
  return rows
}

interface KeyRefusal {
  code: 'unauthenticated' | 'api_key_revoked' | 'api_key_expired'
  error: string
}

const unknown = { code: 'unauthenticated', error: 'Unknown API key' } as const
const revoked = { code: 'api_key_revoked', error: 'The API key has been revoked' } as const
const expired = { code: 'api_key_expired', error: 'The API key has expired' } as const

export function checkFound(found: FoundKey | undefined): { key: FoundKey } | { refusal: KeyRefusal } {
  if (found === undefined) return { refusal: unknown }
  if (found.isRevoked) return { refusal: revoked }
  return found.isExpired ? { refusal: expired } : { key: found }
}
