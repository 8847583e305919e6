import { beginPurge, type Settle } from '@tideport/file-lifecycle/removal/purge'
import { sql } from 'kysely'
import { type Failures, isBelowAny, type Operation, readChosen } from './operation.ts'

/** Begins the purge of files, and of uploads that are not being confirmed. */
export function deleteFiles(settle: Settle): Operation {
  return {
    async apply(trx, chosen) {
      const { accountId, vaultId, ids, prefixes } = chosen
      const which = sql`id = any(${ids}::uuid[]) and account_id = ${accountId} and vault_id = ${vaultId}
        and (status <> 'uploading' or completing_at is null) and ${isBelowAny(prefixes)}`
      const gone = new Set((await beginPurge(trx, which, settle)).map(({ id }) => id))
      const left = ids.filter((id) => !gone.has(id))
      const failures: Failures = new Map()
      if (left.length === 0) return failures
      const completing = await readChosen(trx, { ...chosen, ids: left }, sql`true`)
      for (const id of left) failures.set(id, completing.has(id) ? 'state_conflict' : 'not_found')
      return failures
    },
  }
}
