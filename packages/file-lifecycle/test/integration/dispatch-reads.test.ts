import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createTestDatabase } from '@tideport/testing/postgres'
import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { expect, it } from 'vitest'
import type { FilesDb } from '../../src/state/tables.ts'
import { enqueueDue } from '../../src/work/dispatch.ts'
import type { Queue } from '../../src/work/steps.ts'
import { never } from '../bundle.ts'

/** Several batches, and a small part of all. */
const FILES = 3000
const OTHERS = 12_000

const log = createLogger({ service: 'test', level: 'silent' })

/** A few of all files are due for eviction. */
async function openMany() {
  const stack = new AsyncDisposableStack()
  const migrations = new URL('../../migrations/', import.meta.url)
  const database = stack.use(await createTestDatabase({ schema: 'files', migrations }))
  await database.sql(`insert into account (id) values ('00000000-0000-4000-8000-000000000001')`)
  await database.sql(`insert into vault (id, account_id, name, visibility, slug)
    select account.id, account.id, 'v', 'public', 'v' from account`)
  await database.sql(`alter table file disable trigger user`)
  await database.sql(`insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key,
      upload_expires_at, hot_key, sha256, evict_due_at)
    select gen_random_uuid(), vault.id, vault.id, n::text, 'image/png', 1, 'synced', 'k', now(), 'k', 's',
      case when n <= ${FILES} then now() - make_interval(secs => n) end
    from vault, generate_series(1, ${FILES + OTHERS}) n`)
  await settleTables(database.sql, 'file', 'vault')
  // As with millions of rows: Postgres scans few rows. Only for this database, because all tests share the role.
  const name = new URL(database.url).pathname.slice(1)
  await database.sql(`alter role current_user in database ${name} set enable_seqscan = off`)
  // One connection, so its statistics can be flushed at once.
  const db = stack.use(database.open<FilesDb>({ log, poolSize: 1 }))
  return { db, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

it('each batch of due rows reads only the rows that it enqueues, for any number of due rows', async () => {
  await using t = await openMany()
  const offered = new Set<string>()
  const jobs = {
    enqueue(_: Queue, fileId: string) {
      offered.add(fileId)
      return Promise.resolve('queued' as const)
    },
  }
  const before = await rowsReadSoFar(t.db, 'file')
  expect(await enqueueDue({ ...t, jobs }, { step: 'evict' }, never)).toBe(FILES)
  expect(offered.size).toBe(FILES)
  // Each batch reads one more row, at which the batch before stopped.
  expect((await rowsReadSoFar(t.db, 'file')) - before).toBeLessThanOrEqual(2 * FILES)
})
