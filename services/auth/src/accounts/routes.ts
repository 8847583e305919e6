import { findAccount } from '@tideport/contracts/internal/api'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { AuthDb } from '../tables.ts'
import { ensureAccountRoute } from './ensure-account.ts'
import { listAccountEventsRoute } from './list-account-events.ts'

export function accountRoutes({ db }: { db: Kysely<AuthDb> }) {
  return {
    ensureAccount: ensureAccountRoute(db),
    findAccount: findAccountRoute(db),
    listAccountEvents: listAccountEventsRoute(db),
  } satisfies Partial<RoutesOf<'auth'>>
}

/** `POST /internal/accounts/find`, for development mode. Without an ID it is the first account (creation time, ID). */
function findAccountRoute(db: Kysely<AuthDb>) {
  return serve(findAccount, async ({ body }) => {
    const accountId = body.accountId === undefined ? await findFirst(db) : await findById(db, body.accountId)
    if (accountId === undefined) throw new AppError('unauthenticated', 'There is no such account')
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
