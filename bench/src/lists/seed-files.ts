import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'

const FILE_BYTES = 1000

export interface Seeded {
  accountId: string
  vaultId: string
  count: number
}

/** One file per second: most cold, every hundredth hot, few in error. Half are in one folder, the others in 500. */
async function insertFiles(db: Kysely<FilesDb>, count: number): Promise<Seeded> {
  const [accountId, vaultId] = [uuidv7(), uuidv7()]
  await sql`
    insert into account (id, vault_count, file_count, storage_bytes)
    values (${accountId}, 1, ${count}, ${count * FILE_BYTES})`.execute(db)
  await sql`
    insert into vault (id, account_id, name, visibility, slug, file_count, storage_bytes)
    values (${vaultId}, ${accountId}, 'Bench', 'public', 'bench', ${count}, ${count * FILE_BYTES})`.execute(db)
  await sql`
    insert into file (id, account_id, vault_id, folder, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
      created_at, confirmed_at, synced_at)
    select gen_random_uuid(), ${accountId}::uuid, ${vaultId}::uuid,
      case when n % 2 = 0 then 'flat/' else 'deep/' || lpad((n % 1000)::text, 4, '0') || '/' end,
      (array['photo', 'invoice', 'holiday', 'backup', 'draft'])[1 + n % 5] || ' ' || md5(n::text)
        || case when n % 1000 = 7 and n < 50000 then ' needle' else '' end || '.jpg',
      'image/jpeg', ${FILE_BYTES}::int, case when n % 100000 = 3 then 'error' when n % 100 = 0 then 'hot' else 'cold' end,
      'k', now(), now() - make_interval(secs => ${count} - n), now(), now()
    from generate_series(1, ${count}::int) as n`.execute(db)
  return { accountId, vaultId, count }
}

/** Inserts all names in one statement, because the trigger would take many minutes for a million rows. */
export async function seedFiles(db: Kysely<FilesDb>, count: number): Promise<Seeded> {
  await sql`alter table file disable trigger file_named`.execute(db)
  await sql`drop index file_name_part`.execute(db)
  const seeded = await insertFiles(db, count)
  await sql`insert into file_name (file_id, account_id, folded_name)
    select id, account_id, folded(name) from file`.execute(db)
  await sql`create index file_name_part on file_name using gin (account_id, folded_name gin_trgm_ops)`.execute(db)
  await sql`alter table file enable trigger file_named`.execute(db)
  for (const table of ['account', 'vault', 'file', 'file_name'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  return seeded
}
