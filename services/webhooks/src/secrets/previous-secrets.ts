import { AppError } from '@tideport/service-kit/process/app-error'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { previousSecretsMax } from '../subscriptions/limits.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'

/** Previous secrets that still sign a webhook's deliveries, encrypted, oldest first, as a text array. */
export function validPreviousSecrets(webhookId: RawBuilder<unknown>): RawBuilder<string[]> {
  return sql`array(
    select secret_encrypted from previous_secret
    where webhook_id = ${webhookId} and valid_until > now() order by valid_until
  )`
}

/** Call with the row locked. Returns the end of the overlap. Throws `state_conflict` if too many secrets sign. */
export async function keepSecret(
  trx: Transaction<WebhooksDb>,
  { id: webhookId, secretEncrypted }: WebhookRow,
  overlapSeconds: number,
): Promise<Date> {
  await trx
    .deleteFrom('previousSecret')
    .where('webhookId', '=', webhookId)
    .where('validUntil', '<=', sql<Date>`now()`)
    .execute()
  const { count } = await trx
    .selectFrom('previousSecret')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('webhookId', '=', webhookId)
    .executeTakeFirstOrThrow()
  if (count >= previousSecretsMax) {
    throw new AppError(
      'state_conflict',
      `At most ${previousSecretsMax} previous secrets can be valid at once. Try again when one has expired.`,
    )
  }
  const validUntil = sql<Date>`now() + make_interval(secs => ${overlapSeconds})`
  const kept = await trx
    .insertInto('previousSecret')
    .values({ webhookId, secretEncrypted, validUntil })
    .returning('validUntil')
    .executeTakeFirstOrThrow()
  return kept.validUntil
}
