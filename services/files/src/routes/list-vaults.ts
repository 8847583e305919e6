import { listVaults } from '@tideport/contracts/http/vaults'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import type { OpenAccount } from '../default-vault.ts'
import { readPage } from '../list-page.ts'
import { toVault } from '../views.ts'

/** `GET /api/vaults`. The first call of a new account already shows its default vault. */
export function listVaultsRoute({ db, openAccount }: { db: Kysely<FilesDb>; openAccount: OpenAccount }) {
  return serve(listVaults, async ({ principal: { accountId }, query }) => {
    await openAccount(accountId)
    const { rows, nextCursor } = await readPage<VaultRow>(
      db,
      query,
      { list: 'vaults' },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from vault
        where account_id = ${accountId} and deleted_at is null and ${isNext}
        order by ${orderBy} limit ${limit}`,
    )
    return { vaults: rows.map(toVault), nextCursor }
  })
}
