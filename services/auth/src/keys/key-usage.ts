import { withoutWaitBudget } from '@tideport/service-kit/context/request-context'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { AuthDb } from '../tables.ts'

export interface KeyUsage extends AsyncDisposable {
  /** Records the use of a key. Returns immediately, so responses to clients never wait for it. */
  record(keyId: string): void
}

/** Writes at most once a minute per key. Disposal waits for writes in progress. */
export function createKeyUsage({ db, log }: { db: Kysely<AuthDb>; log: Log }): KeyUsage {
  const writing = new Map<string, Promise<void>>()

  async function write(keyId: string): Promise<void> {
    try {
      await markUsed(db, keyId)
    } catch (error) {
      log.warn({ err: error, keyId }, 'last use of an API key not recorded')
    } finally {
      writing.delete(keyId)
    }
  }

  return {
    record(keyId) {
      if (!writing.has(keyId))
        writing.set(
          keyId,
          withoutWaitBudget(() => write(keyId)),
        )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing.values())
    },
  }
}

/** Conditional, because several replicas may see the same stale time. */
async function markUsed(db: Kysely<AuthDb>, keyId: string): Promise<void> {
  await db
    .updateTable('apiKey')
    .set({ lastUsedAt: sql`now()` })
    .where('id', '=', keyId)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', sql<Date>`now() - interval '1 minute'`)]))
    .execute()
}
