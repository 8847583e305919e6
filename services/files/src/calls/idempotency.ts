import { createHash } from 'node:crypto'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { findLiveVault } from '../lookups/authorized-vault.ts'

/** A request that creates a resource and may be repeated. */
export interface Repeatable {
  accountId: string
  /** Without a key, each request is independent. */
  key: string | undefined
  /** The endpoint. The same key on another endpoint is another request. */
  operation: string
  body: object
  /** The ID of the resource if this request creates it. */
  resourceId: string
  /** Whether the client chose the ID, so that it may be in use already. */
  isIdGiven?: boolean
  /**
   * The vault of the resource. Checked first, so that the response for a missing vault does not reveal whether an ID is
   * in use.
   */
  vaultId?: string
}

/**
 * `created` is null if creation was refused and the key remains free. `createdBefore` is the ID that an earlier request
 * with this key created.
 */
export type Outcome<T> = { created: T } | { createdBefore: string }

/** How long a key is kept. */
const life = sql`interval '24 hours'`

/**
 * Creates a resource once per key (docs/reference/http/conventions.md): key and resource commit together. One of
 * several concurrent requests creates the resource; the others wait. Throws 422 when the key was used with a different
 * request, 409 for an ID that is in use, and 404 for an account without data.
 */
export async function createOnce<T>(
  db: Kysely<FilesDb>,
  request: Repeatable,
  create: (trx: Transaction<FilesDb>) => Promise<T>,
): Promise<Outcome<T>> {
  const { key, operation, body, isIdGiven = false, vaultId } = request
  if (key === undefined && !isIdGiven) return { created: await db.transaction().execute(create) }
  const digest = createHash('sha256')
    .update(JSON.stringify([operation, body]))
    .digest('hex')
  const trx = await db.startTransaction().execute()
  try {
    await holdAccount(trx, request)
    if (key !== undefined && !(await takeKey(trx, request, digest))) {
      await trx.rollback().execute()
      return { createdBefore: await resourceOf(db, request, digest) }
    }
    if (isIdGiven) {
      if (vaultId !== undefined && (await findLiveVault(trx, request.accountId, vaultId)) === null) throw notFound()
      await takeId(trx, request.resourceId)
    }
    const created = await create(trx)
    await (created === null ? trx.rollback() : trx.commit()).execute()
    return { created }
  } catch (error) {
    if (!trx.isCommitted && !trx.isRolledBack) await trx.rollback().execute()
    throw error
  }
}

/**
 * Locks the account as strongly as the following statements need, and before the key. The foreign key of the key row
 * takes only a weak lock, and two transactions that upgrade weak locks would deadlock.
 */
async function holdAccount(trx: Transaction<FilesDb>, { accountId }: Repeatable): Promise<void> {
  const held = await trx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
  if (held.length === 0) throw notFound()
}

/** Waits for another request that is inserting the same key. Reuses an expired key. */
async function takeKey(db: Kysely<FilesDb>, { accountId, key, resourceId }: Repeatable, digest: string) {
  const { rows } = await sql`
    insert into idempotency_key (account_id, key, request_digest, resource_id)
    values (${accountId}, ${key}, ${digest}, ${resourceId})
    on conflict (account_id, key) do update
    set request_digest = excluded.request_digest, resource_id = excluded.resource_id, created_at = now()
    where idempotency_key.created_at <= now() - ${life}
    returning key`.execute(db)
  return rows.length > 0
}

async function resourceOf(db: Kysely<FilesDb>, { accountId, key = '' }: Repeatable, digest: string): Promise<string> {
  const known = await db
    .selectFrom('idempotencyKey')
    .select(['requestDigest', 'resourceId'])
    .where('accountId', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  if (known.requestDigest === digest) return known.resourceId
  throw new AppError(
    'idempotency_key_reused',
    'The idempotency key was already used for a different request. Use a new key.',
  )
}

/**
 * Reserves an ID that a client chose (ADR 0009), in a transaction that has locked the account. One of several
 * concurrent requests gets the ID; the others wait for its outcome. Throws the same 409 for every owner, current or
 * past.
 */
async function takeId(trx: Transaction<FilesDb>, id: string): Promise<void> {
  const { rows } = await sql`
    insert into taken_id (id) select ${id}::uuid
    where not exists (select from file where id = ${id}) and not exists (select from vault where id = ${id})
      and not exists (select from account where id = ${id})
    on conflict do nothing
    returning id`.execute(trx)
  if (rows.length === 0)
    throw new AppError('id_taken', 'The ID is already in use, or was used before. Choose another ID.')
}
