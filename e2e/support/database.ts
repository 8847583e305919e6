import pg from 'pg'
import type { StackFile } from './start-test-stack.ts'

async function query(
  stack: StackFile,
  text: string,
  values: unknown[],
  schema = 'public',
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: stack.postgresUrl, options: `-c search_path=${schema},public` })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Creates states that no client can cause. */
export async function runStatement(stack: StackFile, text: string): Promise<void> {
  await query(stack, text, [])
}

/** Dead-letters a delivery, dated two days ago. False during an attempt, because the attempt would schedule a retry. */
export async function giveUpDelivery(stack: StackFile, id: string): Promise<boolean> {
  const rows = await query(
    stack,
    `update webhooks.delivery set next_attempt_at = null, done_at = now() - interval '2 days'
     where id = $1 and claimed_until is null returning id`,
    [id],
  )
  return rows.length === 1
}

/** The names of tables that contain `needle` in any column. Bytes are searched as hexadecimal digits. */
export async function tablesThatContain(stack: StackFile, needle: string): Promise<string[]> {
  const tables = await query(
    stack,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    [],
  )
  const found = []
  for (const { name } of tables) {
    const rows = await query(stack, `select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [needle])
    if (rows.length > 0) found.push(String(name))
  }
  return found
}

/** The copies of this blob on a network, with columns of their files. */
export function copiesOfBlob(stack: StackFile, network: string, blobId: string): Promise<Record<string, unknown>[]> {
  return query(
    stack,
    `select copy.*, status, version, purging_at, evicting_at from files.copy left join files.file on file.id = file_id
     where network = $1 and blob_id = $2`,
    [network, blobId],
  )
}

/** Up to ten files whose copies differ from `states`, with the actual states. Ignores dropped copies. */
export function filesWithOtherCopies(
  stack: StackFile,
  fileIds: readonly string[],
  states: Record<string, string>,
): Promise<Record<string, unknown>[]> {
  return query(
    stack,
    `select id, has from unnest($1::uuid[]) as asked (id), lateral (
       select coalesce(jsonb_object_agg(network, state), '{}') as has from files.copy
       where file_id = id and state <> 'dropped'
     ) as copies
     where has <> $2::jsonb limit 10`,
    [fileIds, JSON.stringify(states)],
  )
}

/** The number of open connections by service. */
export async function connectionsByService(stack: StackFile): Promise<Record<string, number>> {
  const services = ['auth', 'files', 'sync', 'eviction', 'webhooks']
  const rows = await query(
    stack,
    `select application_name, count(*)::int as connections from pg_stat_activity
     where application_name = any($1) group by application_name`,
    [services],
  )
  return Object.fromEntries(rows.map((row) => [row.application_name, Number(row.connections)]))
}

/** Runs a migration in batches after `prepare`. Returns how many batches changed rows, and the rows of `question`. */
export async function runBatches(stack: StackFile, prepare: string, statement: string, question: string) {
  const client = new pg.Client(stack.postgresUrl)
  await client.connect()
  try {
    await client.query(prepare)
    let batches = 0
    for (let last: string | null = null; ; batches += 1) {
      const { rows }: pg.QueryResult<{ last: string }> = await client.query(statement, [last])
      if (rows.length === 0) return { batches, rows: (await client.query(question)).rows }
      last = rows[0]?.last ?? null
    }
  } finally {
    await client.end()
  }
}

/** Sets these settings for all later sessions of the URL's role. */
export async function setForRole(url: string, settings: Record<string, string>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter role current_user set ${name} = ${pg.escapeLiteral(value)}`)
  }
  await client.end()
}

/** Inserts rows of cold files into a folder, named `file 000001` and so on, with copies on all networks. */
export async function seedFiles(
  stack: StackFile,
  { vaultId, folder, count }: { vaultId: string; folder: string; count: number },
): Promise<void> {
  await query(
    stack,
    `with home as (select id, account_id from vault where id = $1), seeded as (
       insert into file (id, account_id, vault_id, folder, name, mime_type, size_bytes, status, upload_key,
         upload_expires_at, sha256, confirmed_at, synced_at, evicted_at)
       select gen_random_uuid(), account_id, id, $2, 'file ' || lpad(n::text, 6, '0'), 'text/plain', 5, 'cold', 'none', now(),
         repeat('0', 64), now(), now(), now()
       from home, generate_series(1, $3::int) as n
       returning id
     ), copied as (
       insert into copy (file_id, network, reference, state, stored_at, proved_at)
       select seeded.id, network, seeded.id || '_1', 'proved', now(), now()
       from seeded, unnest($4::text[]) as network
     ), counted as (
       update account set file_count = file_count + $3, storage_bytes = storage_bytes + 5 * $3::bigint
       from home where account.id = home.account_id
     )
     update vault set file_count = file_count + $3, storage_bytes = storage_bytes + 5 * $3::bigint where id = $1`,
    [vaultId, folder, count, Object.keys(stack.networkDirs)],
    'files',
  )
  await query(stack, 'analyze file, copy', [], 'files') // as autovacuum would do later
}

/** Counters of accounts and vaults that differ from the rows of their files. */
export function wrongCounters(stack: StackFile): Promise<Record<string, unknown>[]> {
  return query(
    stack,
    `select 'account' as of, id, jsonb_build_array(file_count, storage_bytes, hot_bytes, open_uploads) as counted, there
     from account, lateral (
       select jsonb_build_array(count(*), coalesce(sum(size_bytes), 0),
         coalesce(sum(size_bytes) filter (where status <> 'uploading' and hot_key is not null), 0),
         count(*) filter (where status = 'uploading')) as there
       from file where account_id = account.id and purging_at is null) as files
     where jsonb_build_array(file_count, storage_bytes, hot_bytes, open_uploads) <> there
     union all
     select 'vault', id, jsonb_build_array(file_count, storage_bytes), there from vault, lateral (
       select jsonb_build_array(count(*), coalesce(sum(size_bytes), 0)) as there
       from file where vault_id = vault.id and purging_at is null and deleted_at is null) as files
     where jsonb_build_array(file_count, storage_bytes) <> there`,
    [],
    'files',
  )
}

/** Files with inconsistent or unpublished events: not exactly one `file.hot`, or unmatched trash or purge events. */
export function wrongHistories(stack: StackFile, fileIds: readonly string[]): Promise<Record<string, unknown>[]> {
  return query(
    stack,
    `select asked.id, told.*, file.deleted_at, file.status from unnest($1::uuid[]) as asked (id)
     left join file on file.id = asked.id and purging_at is null cross join lateral (
       select count(*) filter (where type = 'file.hot')::int as begun, count(*) filter (where type = 'file.purged')::int as ended,
         count(*) filter (where type = 'file.deleted')::int as thrown_away, count(*) filter (where type = 'file.restored')::int as brought_back,
         count(*) filter (where is_public and published_at is null)::int as untold
       from event where subject_id = asked.id) as told
     where begun <> 1 or ended <> (file.id is null)::int or untold > 0
       or (file.id is not null and thrown_away - brought_back <> (file.deleted_at is not null)::int)`,
    [fileIds],
    'files',
  )
}

/** Confirmed files that are in error, or whose rows violate an invariant of paths. */
export function brokenFiles(stack: StackFile): Promise<Record<string, unknown>[]> {
  return query(
    stack,
    `select id, path, status, error_code from file where purging_at is null and status <> 'uploading' and (
       status = 'error' or (replaced_by is not null and deleted_at is null)
       or (deleted_at is null and on_conflict <> 'keep' and exists (
         select from file as other where other.vault_id = file.vault_id and other.path = file.path and other.id <> file.id
           and other.on_conflict <> 'keep' and other.status <> 'uploading' and other.deleted_at is null and other.purging_at is null)))`,
    [],
    'files',
  )
}

/** Confirmed files of a vault that are neither trashed nor being purged. */
export async function filesThere(stack: StackFile, vaultId: string): Promise<{ id: string; sha256: string | null }[]> {
  const rows = await query(
    stack,
    `select id, sha256 from file where vault_id = $1 and status <> 'uploading' and deleted_at is null and purging_at is null`,
    [vaultId],
    'files',
  )
  return rows as { id: string; sha256: string | null }[]
}
