import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { createSecretBox, keyIdOf } from '@tideport/service-kit/secrets/secret-box'
import { type Kysely, sql } from 'kysely'
import { sealedFor } from './bucket-request.ts'

const BATCH = 500

interface Sealed {
  id: string
  accountId: string
  sealedSecret: string
}

/**
 * Encrypts the credentials of all jobs with the first key, while services run. Returns the number of credentials per
 * key afterward, in the order of the keys, including unused keys.
 */
export async function resealCredentials(
  db: Kysely<FilesDb>,
  keys: readonly Buffer[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const box = createSecretBox(keys)
  const known = keys.map((key) => keyIdOf(createSecretBox([key]).seal('', '')))
  const counts = new Map<string, number>(known.map((keyId) => [keyId, 0]))
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    signal.throwIfAborted()
    const { rows } = await sql<Sealed>`
      select id, account_id, sealed_secret from account_job
      where sealed_secret is not null and id > ${after}::uuid order by id limit ${BATCH}`.execute(db)
    for (const job of rows) {
      const isReadable = known.includes(keyIdOf(job.sealedSecret))
      const sealed = isReadable ? box.seal(box.open(job.sealedSecret, sealedFor(job)), sealedFor(job)) : null
      const keyId = keyIdOf(sealed ?? job.sealedSecret)
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
      // Skips credentials that were deleted meanwhile.
      if (sealed !== null)
        await sql`update account_job set sealed_secret = ${sealed}
          where id = ${job.id} and sealed_secret = ${job.sealedSecret}`.execute(db)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return counts
    after = last.id
  }
}
