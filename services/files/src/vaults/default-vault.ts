import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { vaultCreated } from './insert-vault.ts'

export type OpenAccount = (accountId: string) => Promise<void>

const REMEMBERED_MAX = 100_000

export function createAccountOpener(db: Kysely<FilesDb>): OpenAccount {
  const seen = new Set<string>()
  return async (accountId) => {
    if (seen.has(accountId)) return
    await insertAccount(db, accountId)
    if (seen.size >= REMEMBERED_MAX) seen.clear()
    seen.add(accountId)
  }
}

/**
 * Creates account, vault, and event in one statement. One of several concurrent first requests creates them; the others
 * wait.
 */
async function insertAccount(db: Kysely<FilesDb>, accountId: string): Promise<void> {
  await sql`
    with newcomer as (
      insert into account (id, vault_count) values (${accountId}, 1)
      on conflict do nothing
      returning id
    ), made as (
      insert into vault (id, account_id, name, visibility, slug, is_default)
      select ${uuidv7()}::uuid, id, 'Default', 'public', 'default', true from newcomer
      on conflict do nothing
      returning *
    )
    ${vaultCreated(sql`made`)}`.execute(db)
}
