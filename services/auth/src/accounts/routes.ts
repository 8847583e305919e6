import { ensureAccount, findAccount } from '@tideport/contracts/internal/api'
import { listAccountEvents } from '@tideport/contracts/public/account-events'
import type { AuditEvent } from '@tideport/contracts/public/audit-event'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { listCursor, positionParts, toPage } from '@tideport/service-kit/http/list-cursor'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { recordEvent } from '../audit/record-event.ts'
import type { AuditEventRow, AuthDb } from '../tables.ts'

export function accountRoutes({ db }: { db: Kysely<AuthDb> }) {
  return {
    ensureAccount: ensureAccountRoute(db),
    findAccount: findAccountRoute(db),
    listAccountEvents: listAccountEventsRoute(db),
  } satisfies Partial<RoutesOf<'auth'>>
}

/**
 * `POST /internal/accounts/find`, for development mode. Without an ID, finds the first account by creation time and ID.
 */
function findAccountRoute(db: Kysely<AuthDb>) {
  return serve(findAccount, async ({ body }) => {
    const accountId = body.accountId === undefined ? await findFirst(db) : await findById(db, body.accountId)
    if (accountId === undefined) throw new AppError('unauthenticated', 'The account does not exist')
    return { accountId }
  })
}

async function findFirst(db: Kysely<AuthDb>): Promise<string | undefined> {
  const row = await db.selectFrom('account').select('id').orderBy('createdAt').orderBy('id').limit(1).executeTakeFirst()
  return row?.id
}

async function findById(db: Kysely<AuthDb>, accountId: string): Promise<string | undefined> {
  if (!z.uuid().safeParse(accountId).success) return undefined
  const row = await db.selectFrom('account').select('id').where('id', '=', accountId).executeTakeFirst()
  return row?.id
}

type Query = RouteInput<typeof listAccountEvents>['query']

const position = z.object({ at: positionParts.time, id: positionParts.id })

function listAccountEventsRoute(db: Kysely<AuthDb>) {
  return serve(listAccountEvents, async ({ principal, query }) => {
    const { limit, cursor, ...filters } = query
    const list = { reader: principal.accountId, list: 'account events', ...filters }
    const cursors = await listCursor(db, list, position)
    const rows = await selectPage(db, principal.accountId, query, cursors.decode(cursor))
    const { page, nextCursor } = toPage(cursors, rows, limit)
    return { events: page.map(toAuditEvent), nextCursor }
  })
}

async function selectPage(
  db: Kysely<AuthDb>,
  accountId: string,
  { kind, after, before, limit }: Query,
  last: z.infer<typeof position> | null,
): Promise<AuditEventRow[]> {
  let query = db.selectFrom('auditEvent').selectAll().where('accountId', '=', accountId)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (after !== undefined) query = query.where('at', '>=', new Date(after))
  if (before !== undefined) query = query.where('at', '<', new Date(before))
  if (last !== null) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(last.at, last.id)))
  }
  return await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
}

function toAuditEvent(row: AuditEventRow): AuditEvent {
  const { id, kind, subjectId, method, keyId, keyPrefix, subject, clientAddress, requestId, details } = row
  const actor = { method, keyId, keyPrefix, subject }
  return { id, kind, subjectId, at: row.at.toISOString(), actor, clientAddress, requestId, details }
}

type Login = RouteInput<typeof ensureAccount>['body']
type Identity = Pick<Login, 'issuer' | 'subject'>

/** `POST /internal/accounts/resolve`. The first request of a subject creates the account. */
function ensureAccountRoute(db: Kysely<AuthDb>) {
  return serve(ensureAccount, async ({ body }) => {
    const known = await findAccountId(db, body)
    if (known !== undefined) return { accountId: known }
    await insertAccount(db, body)
    // Read again: of two simultaneous first requests, one inserts, and both must return the same account.
    const accountId = await findAccountId(db, body)
    if (accountId === undefined) throw new Error('The account was not found right after its creation')
    return { accountId }
  })
}

async function findAccountId(db: Kysely<AuthDb>, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.id
}

async function insertAccount(db: Kysely<AuthDb>, login: Login): Promise<void> {
  const { issuer, subject, method, clientAddress } = login
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('account')
      .values({ id: uuidv7(), issuer, subject })
      .onConflict((conflict) => conflict.constraint('account_identity').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (row === undefined) return
    const entry = { accountId: row.id, kind: 'account.created', subjectId: row.id, details: { issuer } } as const
    const actor = { method, subject, keyId: null, keyPrefix: null }
    await recordEvent(trx, entry, { actor, clientAddress, requestId: currentTrace().requestId })
  })
}
