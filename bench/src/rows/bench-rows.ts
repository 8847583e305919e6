import { setTimeout as delay } from 'node:timers/promises'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { batched } from '@tideport/file-lifecycle/state/writes'
import { createBatching } from '@tideport/service-kit/batching/batching'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { startDatabase } from '../start-database.ts'
import { cpuOfTree } from '../system/process-tree.ts'
import { cleanUp, type Owner, phases, publish, request, SETTLED_AFTER_SECONDS } from './one-life.ts'

const FILES_BEFORE = 100_000
const ACCOUNTS = 100
const FILES = 1600
/** What a phase does before the next one begins. */
const WAVE = 64
const AT_ONCE = 8
const TABLES = ['file', 'copy', 'event']

/**
 * What the life of a file, from its request to cold, costs the tables of schema files, phase by phase, in a database of
 * 100,000 others: bytes of WAL, without pages that a checkpoint has written whole, and CPU of Postgres; and how many of
 * the updates wrote no index (HOT). The statements are those of the services, eight files at a time.
 */
export async function benchRows(): Promise<void> {
  await using database = await startDatabase()
  const { db, pid } = database
  const writes = batched(db, createBatching())
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  try {
    const owners = await seed(db)
    await admin.query('alter system set full_page_writes = off')
    await admin.query('select pg_reload_conf()')
    await admin.query('checkpoint')
    await delay(2000)
    const before = await readTables(db)
    const { meter, print } = createMeter(admin, pid)
    const files = []
    for (let wave = 0; wave < FILES / WAVE; wave += 1) {
      let groups = await meter('request', () => inGroups(owners, wave))
      for (const [name, phase] of Object.entries(phases))
        groups = await meter(name, () => Promise.all(groups.map((group) => phase(writes, group))))
      await meter('publish', () => publish(db))
      files.push(...groups)
    }
    await delay(SETTLED_AFTER_SECONDS * 1000)
    for (const group of files) await meter('clean up', () => cleanUp(db, group))
    await delay(2000)
    print()
    printTables(before, await readTables(db))
  } finally {
    await admin.end()
  }

  function inGroups(owners: readonly Owner[], wave: number) {
    const groups = Array.from({ length: WAVE / AT_ONCE }, (_, group) =>
      Array.from({ length: AT_ONCE }, (_, index) => {
        const owner = owners[(wave * WAVE + group * AT_ONCE + index) % owners.length]
        return owner as Owner
      }),
    )
    return Promise.all(groups.map((group) => request(writes, group)))
  }
}

/** Nearly all files of an old installation are cold; names, types and times lie all over their accounts. */
async function seed(db: Kysely<FilesDb>): Promise<Owner[]> {
  await sql`insert into account (id) select gen_random_uuid() from generate_series(1, ${ACCOUNTS}::int)`.execute(db)
  const { rows } = await sql<Owner>`
    insert into vault (id, account_id, name, visibility, slug)
    select gen_random_uuid(), id, 'Bench', 'public', 'bench' from account
    returning account_id, id as vault_id`.execute(db)
  await sql`
    insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, hot_key, sha256, upload_key,
      upload_expires_at, completing_at, deleted_at, purge_due_at, created_at, confirmed_at, synced_at)
    select gen_random_uuid(), account_id, id, 'photo ' || md5(random()::text) || '.jpg',
      (array['image/jpeg', 'video/mp4', 'text/plain'])[1 + n % 3], 1000, status, case when status <> 'cold' then 'k' end,
      case when status in ('synced', 'cold') then 's' end, 'k', now() + interval '1 day',
      case when status = 'uploading' and n % 10 = 0 then now() end,
      case when n % 50 = 0 and status <> 'uploading' then now() end,
      case when n % 50 = 0 and status <> 'uploading' then now() + interval '30 days' end,
      now() - random() * interval '1 year', now(), now()
    from vault, lateral (
      select n, case when n % 100 < 92 then 'cold' when n % 100 < 96 then 'synced' when n % 100 < 98 then 'hot'
        when n % 1000 = 999 then 'error' else 'uploading' end as status
      from generate_series(1, ${FILES_BEFORE / ACCOUNTS}::int) as n
    ) as one`.execute(db)
  await sql`
    insert into copy (file_id, network, reference, blob_id, state, due_at, stored_at, file_synced_at, proved_at,
      lease_expires_at, renew_due_at)
    select id, 'embedded', id || '_1', 'bafk' || md5(id::text), 'proved', now() + random() * interval '30 days', now(),
      now(), now(), now() + interval '180 days', now() + interval '150 days'
    from file where status in ('synced', 'cold')`.execute(db)
  await sql`
    insert into event (id, subject_kind, subject_id, account_id, type, is_public, payload, request_id, traceparent, at,
      published_at)
    select gen_random_uuid(), 'file', id, account_id, 'file.hot', true, '{}', 'r', 't', created_at, now()
    from file`.execute(db)
  await sql`update account set file_count = 1000000, open_uploads = 0, storage_bytes = 1e12, hot_bytes = 1e12`.execute(
    db,
  )
  await sql`truncate name_to_index`.execute(db)
  await sql`vacuum analyze`.execute(db)
  return rows
}

interface Sum {
  bytes: number
  cpuUs: number
}

/** Adds up what Postgres wrote and took while something was done. */
function createMeter(admin: pg.Client, pid: number) {
  const sums = new Map<string, Sum>()
  const read = async (): Promise<Sum> => {
    const { rows } = await admin.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`)
    return { bytes: Number(rows[0].bytes), cpuUs: await cpuOfTree(pid) }
  }
  async function meter<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = await read()
    const result = await work()
    const after = await read()
    const { bytes, cpuUs } = sums.get(name) ?? { bytes: 0, cpuUs: 0 }
    sums.set(name, { bytes: bytes + after.bytes - before.bytes, cpuUs: cpuUs + after.cpuUs - before.cpuUs })
    return result
  }
  function print(): void {
    const each = (value: number) => (value / FILES).toFixed(0).padStart(13)
    const line = (name: string, { bytes, cpuUs }: Sum) =>
      console.log(`  ${name.padEnd(10)}${each(bytes)}${each(cpuUs)}`)
    console.log('\nof one file  bytes of WAL    µs of CPU')
    for (const [name, sum] of sums) line(name, sum)
    const values = [...sums.values()]
    const total = (of: keyof Sum) => values.reduce((sum, one) => sum + one[of], 0)
    line('in all', { bytes: total('bytes'), cpuUs: total('cpuUs') })
  }
  return { meter, print }
}

interface TableFigures {
  name: string
  updates: number
  hot: number
  indexes: number
}

async function readTables(db: Kysely<FilesDb>): Promise<TableFigures[]> {
  const { rows } = await sql<TableFigures>`
    select relname as name, n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot,
      (select count(*)::int from pg_index where indrelid = relid) as indexes
    from pg_stat_user_tables where relname = any(${TABLES}::text[]) order by 1`.execute(db)
  return rows
}

function printTables(before: TableFigures[], after: TableFigures[]): void {
  for (const [index, { name, updates, hot, indexes }] of after.entries()) {
    const [all, free] = [updates - (before[index]?.updates ?? 0), hot - (before[index]?.hot ?? 0)]
    const share = `${(all / FILES).toFixed(2)} updates of one, ${(free / FILES).toFixed(2)} of them HOT`
    console.log(`  ${name.padEnd(10)}${String(indexes).padStart(3)} indexes, ${share}`)
  }
}
