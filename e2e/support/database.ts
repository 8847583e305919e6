import pg from 'pg'
import type { StackFile } from './start-test-stack.ts'

async function query(stack: StackFile, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(stack.postgresUrl)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** For what no client can bring about. */
export async function runStatement(stack: StackFile, text: string): Promise<void> {
  await query(stack, text, [])
}

/** Lets the time run out that a key was given: the shortest that can be asked for is a day. */
export async function letKeyExpire(stack: StackFile, keyId: string): Promise<void> {
  await query(stack, `update auth.api_key set expires_at = now() - interval '1 second' where id = $1`, [keyId])
}

/** Names of the tables in which `needle` occurs, in whatever column, bytes being looked at as hexadecimal digits. */
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

/** Copies of these bytes on a network, with what their files are. */
export function copiesOfBlob(stack: StackFile, network: string, blobId: string): Promise<Record<string, unknown>[]> {
  return query(
    stack,
    `select copy.*, status, version, purging_at, evicting_at from files.copy left join files.file on file.id = file_id
     where network = $1 and blob_id = $2`,
    [network, blobId],
  )
}

/**
 * Files that have other copies than these, dropped ones aside, each with what it has: at most ten of them. To look at a
 * thousand files every second costs the services nothing.
 */
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

/** How many connections each service has open, by its name. */
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

/**
 * Runs the statement of a migration in batches as its job does, in a session that begins with `prepare`. Answers how
 * many of them changed something, and the rows of `question` afterwards.
 */
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

/** Lets every later session of the URL's role begin with these settings. */
export async function setForRole(url: string, settings: Record<string, string>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter role current_user set ${name} = ${pg.escapeLiteral(value)}`)
  }
  await client.end()
}
