import { listCursor } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import type { AuthDb } from '../tables.ts'

export const challengeSeconds = 300

/** `sign-in`, or a registration by this session or set-up token. */
export type Ceremony = 'sign-in' | `session ${string}` | `set-up ${string}`

const shape = z.object({ id: z.uuid(), expiresAt: z.number() })

const sealOf = (db: Kysely<AuthDb>, ceremony: Ceremony) =>
  listCursor(db, { reader: ceremony, list: 'challenges' }, shape)

/** Sealed for its ceremony and not stored, so that unauthenticated requests cannot fill the database. */
export async function issueChallenge(
  db: Kysely<AuthDb>,
  ceremony: Ceremony,
  seconds = challengeSeconds,
): Promise<string> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from now())::float8 as now`.execute(db)
  const expiresAt = (rows[0]?.now as number) + seconds
  return Buffer.from((await sealOf(db, ceremony)).encode({ id: uuidv7(), expiresAt })).toString('base64url')
}

/** False if the challenge is of another ceremony, has expired, or was used. Commit only with a valid signature. */
export async function useChallenge(trx: Kysely<AuthDb>, ceremony: Ceremony, challenge: string): Promise<boolean> {
  const issued = await open(trx, ceremony, challenge)
  if (issued === null) return false
  const { id, expiresAt } = issued
  const { rows } = await sql`
    insert into used_challenge (id, expires_at)
    select ${id}::uuid, to_timestamp(${expiresAt}) where to_timestamp(${expiresAt}) > now()
    on conflict do nothing returning id`.execute(trx)
  return rows.length === 1
}

async function open(db: Kysely<AuthDb>, ceremony: Ceremony, challenge: string) {
  try {
    return (await sealOf(db, ceremony)).decode(Buffer.from(challenge, 'base64url').toString())
  } catch {
    return null
  }
}
