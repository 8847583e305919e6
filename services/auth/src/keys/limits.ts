import { AppError } from '@tideport/service-kit/process/app-error'
import { type SqlBool, sql, type Transaction } from 'kysely'
import type { AuthDb } from '../tables.ts'

/** Low enough for one statement to revoke a key and its descendants in a request (docs/reference/http/keys.md). */
export const keysPerAccountMax = 1000

/** Condition on rows of `api_key`. */
export const isInUse = sql<SqlBool>`revoked_at is null and (expires_at is null or expires_at > now())`

/** Serializes changes to the keys of an account by locking its row. */
export async function holdAccount(trx: Transaction<AuthDb>, accountId: string): Promise<void> {
  await trx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
}

/** Throws 409 if the account has reached its key limit. Sessions have a limit of their own. The account must be locked. */
export async function assertRoomForOneMore(trx: Transaction<AuthDb>, accountId: string): Promise<void> {
  const { count } = await trx
    .selectFrom('apiKey')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('isSession', '=', false)
    .where(isInUse)
    .executeTakeFirstOrThrow()
  if (count >= keysPerAccountMax) {
    throw new AppError(
      'too_many_api_keys',
      `An account can have at most ${keysPerAccountMax} valid API keys. Revoke one first.`,
    )
  }
}
