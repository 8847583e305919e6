import { createHash } from 'node:crypto'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { findLiveVault } from '../lookups/authorized-vault.ts'

/** A request that creates a resource and may be repeated. */
export interface Repeatable {
  accountId: string
  /** Without one, the request is one of its own. */
  key: string | undefined
  /** The endpoint; the same key on another one is another request. */
  operation: string
  body: object
  /** The id that the resource gets, if it is created now. */
  resourceId: string
  /** Whether the client has chosen it: then it may be taken. */
  isIdGiven?: boolean
  /** The vault that the resource is for: without it, the response does not tell whether an ID is taken. */
  vaultId?: string
}

/** `created` null: refused, and the key is still free. `createdBefore`: the id of what this key created. */
export type Outcome<T> = { created: T } | { createdBefore: string }

/** How long a key is kept. */
const life = sql`interval '24 hours'`

/**
 * Creates a resource once per key (docs/reference/http/conventions.md): key and resource commit together. Of several requests at once one
 * creates, the others wait for it. Throws 422 when the key came with another request before, 409 for an id that is
 * taken, and 404 for an account that has nothing yet.
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
 * As strongly as whatever is created will need it, and before the key, whose reference to the account holds it weakly:
 * two who hold it weakly and want more wait for each other.
 */
async function holdAccount(trx: Transaction<FilesDb>, { accountId }: Repeatable): Promise<void> {
  const held = await trx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
  if (held.length === 0) throw notFound()
}

/** Waits for whoever is taking the same key. One whose time is over is free. */
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
  throw new AppError('idempotency_key_reused', 'The idempotency key was used for another request')
}

/**
 * Takes an id that a client has chosen (ADR 0009), for a transaction that holds its account: of several who want it at
 * once one gets it, the others wait for that. Throws one and the same 409 whoever has it or had it.
 */
async function takeId(trx: Transaction<FilesDb>, id: string): Promise<void> {
  const { rows } = await sql`
    insert into taken_id (id) select ${id}::uuid
    where not exists (select from file where id = ${id}) and not exists (select from vault where id = ${id})
      and not exists (select from account where id = ${id})
    on conflict do nothing
    returning id`.execute(trx)
  if (rows.length === 0) throw new AppError('id_taken', 'The id is taken, or was once')
}
