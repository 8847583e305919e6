import { listVaults } from '@tideport/contracts/public/vaults'
import { toVault } from '@tideport/file-lifecycle/records/file-views'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { vaultsOf } from '../calls/confine.ts'
import { readPage } from '../lists/list-page.ts'
import type { OpenAccount } from '../vaults/default-vault.ts'

const isKept = sql`deleted_at is null`
const inTrash = sql`deleted_at is not null and purging_at is null`

/** `GET /api/vaults`. The first call of a new account already shows its default vault. */
export function listVaultsRoute({ db, openAccount }: { db: Kysely<FilesDb>; openAccount: OpenAccount }) {
  return serve(listVaults, async ({ principal, query: { trashed = false, ...page } }) => {
    const { accountId } = principal
    await openAccount(accountId)
    const within = vaultsOf(principal)
    const isSeen = within === null ? sql`true` : sql`id = any(${within}::uuid[])`
    const { rows, nextCursor } = await readPage<VaultRow>(
      db,
      page,
      { reader: accountId, list: 'vaults', trashed },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from vault
        where account_id = ${accountId} and ${trashed ? inTrash : isKept} and ${isSeen} and ${isNext}
        order by ${orderBy} limit ${limit}`,
    )
    return { vaults: rows.map(toVault), nextCursor }
  })
}
