import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listFiles } from '@tideport/contracts/public/files'
import { databaseUrls } from '@tideport/dev-stack/provisioning/database-urls'
import { removeCluster } from '@tideport/dev-stack/servers/postgres/cluster-home'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { networksOf } from '@tideport/file-lifecycle/copies/networks'
import { type FilesDb, migrations, schema } from '@tideport/file-lifecycle/state/tables'
import { createSlowCalls } from '@tideport/files/src/calls/slow-calls.ts'
import { listFilesRoute } from '@tideport/files/src/files/list-files.ts'
import { cursorsOf } from '@tideport/files/src/lists/list-page.ts'
import type { RouteInput } from '@tideport/service-kit/http/route'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { makePassword } from '@tideport/set-up/make-secrets'
import { prepareDatabase } from '@tideport/set-up/prepare-database'
import { type Kysely, sql } from 'kysely'
import { compare, print, timed, type Variant } from '../measure.ts'
import { type Seeded, seedFiles } from './seed-files.ts'

const ROUNDS = 31
const PAGE = 50

/**
 * Lists and search of `GET /api/files` without HTTP, for three sizes. Each database has one vault, because Postgres
 * estimates are worst for few vaults.
 */
export async function benchLists(): Promise<void> {
  for (const count of [10_000, 100_000, 1_000_000]) await benchAccount(count)
}

async function benchAccount(count: number): Promise<void> {
  await using database = await startDatabase()
  const { db } = database
  console.log('seeding…')
  const account = await seedFiles(db, count)
  const far = Math.min(5000, count / PAGE - 1)
  const { vaultId } = account
  const list = listsOf(db, account)
  const variants: Variant[] = [
    list('page 1', {}),
    list(`page ${far}`, { cursor: await cursorAt(db, account, far * PAGE) }),
    list('page 1, by name', { sortBy: 'name', order: 'asc' }),
    list('folders at the top, of all files', { vaultId, delimiter: '/' }),
    list('50 of 500 folders, page 1', { vaultId, delimiter: '/', prefix: 'deep/' }),
    list('50 of 500 folders, the last', {
      vaultId,
      delimiter: '/',
      prefix: 'deep/',
      cursor: await folderCursor(db, account),
    }),
    list('a folder of half the files, page 1', { vaultId, prefix: 'flat/' }),
    list(`the same, page ${far / 2}`, {
      vaultId,
      prefix: 'flat/',
      cursor: await pathCursorAt(db, account, (far * PAGE) / 2),
    }),
    list('page 1, status=hot (1 %)', { status: 'hot' }),
    list('page 1, status=error (a few)', { status: 'error' }),
    list('search, rare: needle', { q: 'needle' }),
    list('search, rare, by name: needle', { q: 'needle', sortBy: 'name' }),
    list('search, frequent: holiday', { q: 'holiday' }),
    list('search, nothing: zebra', { q: 'zebra' }),
    list('search, two characters: ab', { q: 'ab' }),
    list('search, frequent, far, by name: HOLIDAY', { q: 'HOLIDAY', sortBy: 'name', order: 'asc' }),
    list('search, two characters, nothing: zz', { q: 'zz' }),
    list('the same, by name', { q: 'zz', sortBy: 'name' }),
    list('search, nothing to look up: ---', { q: '---' }),
    list('search, only its parts are frequent: .jpg.', { q: '.jpg.' }),
    list('search, long: 255 characters', { q: 'holiday '.repeat(32).slice(0, 255) }),
    list('type=image/jpeg (all)', { mimeType: 'image/jpeg' }),
    list('type=image/* (all)', { mimeType: 'image/*' }),
    list('type=video/* (none)', { mimeType: 'video/*' }),
    list('type=image/gif (none), by name', { mimeType: 'image/gif', sortBy: 'name' }),
    list('status=error or uploading', { status: ['error', 'uploading'] }),
    list('status=hot, by name', { status: 'hot', sortBy: 'name' }),
    list('created long ago (none), by name', { createdBefore: '2020-01-01T00:00:00Z', sortBy: 'name' }),
    list('type, status and search', { mimeType: 'image/*', status: ['cold', 'hot'], q: 'zz' }),
    list('search in the trash', { q: 'zz', trashed: 'true' }),
  ]
  print(`${count} files`, 'ms', await compare(variants, ROUNDS))
  await sql`update vault set deleted_at = now(), purge_due_at = now() + interval '30 days'`.execute(db)
  const trash: Variant[] = [list('the trash, all files', { trashed: 'true' }), list('remaining files: none', {})]
  print(`${count} files, trashed with their vault`, 'ms', await compare(trash, ROUNDS))
}

function listsOf(db: Kysely<FilesDb>, { accountId }: Seeded) {
  const slowCalls = createSlowCalls({ perAccount: 1, runningMax: 1 })
  const route = listFilesRoute({ db, networks: networksOf([], []), slowCalls })
  return (name: string, query: Record<string, string | string[]>): Variant => {
    const input = {
      principal: { kind: 'account', accountId, method: 'api_key', scopes: null },
      query: listFiles.query.parse({ limit: PAGE, ...query }),
      charge: () => {},
    } as unknown as RouteInput
    return { name, run: () => timed(() => route.handle(input)) }
  }
}

async function cursorAt(db: Kysely<FilesDb>, { accountId }: Seeded, skipped: number): Promise<string> {
  const { rows } = await sql<{ id: string; value: string }>`
    select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as value from file
    where account_id = ${accountId} order by created_at desc, id desc limit 1 offset ${skipped - 1}`.execute(db)
  const [position] = rows
  if (position === undefined) throw new Error('There is no such page')
  const list = { reader: accountId, list: 'files', trashed: false }
  const cursors = await cursorsOf(db, { sortBy: 'createdAt', order: 'desc' }, list)
  return cursors.encode({ ...position, isCut: false })
}

async function pathCursorAt(db: Kysely<FilesDb>, { accountId, vaultId }: Seeded, skipped: number): Promise<string> {
  const { rows } = await sql<{ id: string; value: string }>`
    select id, path as value from file where vault_id = ${vaultId} and path >= 'flat/' and path < 'flat0'
    order by path, coalesce(place_id, id) limit 1 offset ${Math.floor(skipped) - 1}`.execute(db)
  const [position] = rows
  if (position === undefined) throw new Error('There is no such page')
  const cursors = await byPath(db, { reader: accountId, vaultId, prefix: 'flat/' })
  return cursors.encode({ ...position, isCut: false })
}

async function folderCursor(db: Kysely<FilesDb>, { accountId, vaultId }: Seeded): Promise<string> {
  const id = '00000000-0000-0000-0000-000000000000'
  const cursors = await byPath(db, { reader: accountId, vaultId, prefix: 'deep/', delimiter: '/' })
  return cursors.encode({ value: 'deep/0900', id, isCut: false })
}

const byPath = (db: Kysely<FilesDb>, list: { reader: string; [filter: string]: unknown }) =>
  cursorsOf(db, { sortBy: 'path', order: 'asc' }, { list: 'files', trashed: false, ...list })

async function startDatabase() {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  starting.defer(() => removeCluster(dataDir))
  const postgres = starting.use(await launchPostgres({ dataDir }))
  const urls = databaseUrls(postgres.url, { auth: makePassword(), files: makePassword(), webhooks: makePassword() })
  await prepareDatabase(postgres.url, urls)
  await migrate({ url: urls.files, schema, folder: migrations })
  const log = createLogger({ service: 'bench', level: 'silent' })
  const options = { databaseUrl: urls.files, databasePoolSize: 32, schema, name: 'bench', log }
  const db = starting.use(openDatabase<FilesDb>({ ...options, statementTimeoutMs: 600_000 }))
  const started = starting.move()
  return { db, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
