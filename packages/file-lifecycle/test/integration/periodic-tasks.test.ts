import { connectNats } from '@tideport/service-kit/nats/nats'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { type RawBuilder, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { deleteExpiredRows } from '../../src/removal/delete-expired-rows.ts'
import { emptyTrash, purgeVaults } from '../../src/removal/empty-trash.ts'
import { purgeFiles } from '../../src/removal/purge-file.ts'
import { restoreVault, trashVault } from '../../src/removal/trash-vault.ts'
import { expireUploads } from '../../src/upload/clean-up-uploads.ts'
import { finishConfirms } from '../../src/upload/confirm-later.ts'
import { beginCompleting } from '../../src/upload/upload-urls.ts'
import { fileRows } from '../../src/work/claim.ts'
import { openJobQueue } from '../../src/work/job-queue.ts'
import { processDueRows } from '../../src/work/process-due-rows.ts'
import { log, must, never } from '../bundle.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setupPurging)

const settleSeconds = 3600

/** Makes all rows due now, and releases all claims. */
const passTime = () =>
  t.database.sql(`update file set claimed_until = null, cleanup_after = case when cleanup_after is not null then now() end,
    purge_due_at = case when purge_due_at is not null then now() end`)

async function purgeAll() {
  await purgeFiles({ ...t, log }, never)
  await passTime()
  await purgeFiles({ ...t, log }, never)
}

describe('the periodic tasks of uploads', () => {
  it('purge any number of expired uploads completely', async () => {
    const kept = (await t.begin(5)).file
    const expired = await Promise.all(Array.from({ length: 20 }, () => t.begin(5)))
    for (const { file, url } of expired) {
      await t.put(url, 'hello')
      await t.assign(file.id, 'upload_expires_at = now()')
    }
    await expireUploads({ ...t, log, settleSeconds }, never)
    expect(await t.account()).toMatchObject({ open_uploads: '1', file_count: '1', storage_bytes: '5' })
    await purgeAll()
    for (const { file } of expired) expect([await t.exists(file), await t.traces(file)]).toEqual([false, []])
    expect(await t.traces(kept)).toEqual(['upload'])
  })

  it('purge an upload whose completion the store has lost, but not before it expires', async () => {
    await using nats = connectNats({ natsUrl: ['nats://127.0.0.1:9'], name: 'test', log })
    const jobs = openJobQueue({ nats, log, metrics: createMetrics('test') })
    const deps = {
      ...t,
      jobs,
      relay: { wake: () => {} },
      log,
      settleSeconds,
      trashRetentionSeconds: 60,
      confirmRecheckSeconds: 1,
    }
    const finish = () => finishConfirms({ ...deps, confirmLostSeconds: 900 }, never)
    const { file } = await t.begin(5)
    must(await beginCompleting(t.writes, file, { settleSeconds, lostSeconds: 900 }))
    await t.hotTier.abortUploads(file.uploadKey)
    await t.assign(file.id, `completing_at = now() - interval '1 hour'`)
    await finish()
    expect(await t.read(file.id)).toMatchObject({ purgingAt: null })
    await t.assign(file.id, 'claimed_until = null, upload_expires_at = now()')
    await finish()
    expect((await t.read(file.id)).purgingAt).not.toBeNull()
  })
})

describe('the periodic tasks of the trash', () => {
  it('purge only the files whose time in the trash is over', async () => {
    const [over, waiting, restored] = [await t.syncedFile(), await t.syncedFile(), await t.syncedFile()]
    for (const file of [over, waiting, restored]) await t.trash(file)
    for (const file of [over, restored]) await t.assign(file.id, 'purge_due_at = now()')
    await t.restore(restored)
    await emptyTrash({ ...t, log, settleSeconds }, never)
    expect(await t.account()).toMatchObject({ file_count: '2', storage_bytes: '10' })
    await purgeFiles({ ...t, log }, never)
    expect(await t.traces(over)).toEqual([])
    for (const file of [waiting, restored]) expect(await t.hotTier.head(must(file.hotKey))).toBe(5)
  })

  it('purge a vault with all its files, and its row last', async () => {
    const files = [await t.hotFile(), await t.syncedFile(), (await t.begin(5)).file]
    const own = { accountId: t.accountId, vaultId: t.vaultId }
    must(await trashVault(t.db, own, { force: true, retentionSeconds: 60 }))
    await purgeVaults({ ...t, log, settleSeconds }, never)
    expect(await t.account()).toMatchObject({ file_count: '3', vault_count: '1' })

    await t.database.sql('update vault set purge_due_at = now()')
    await purgeVaults({ ...t, log, settleSeconds }, never)
    expect(await restoreVault(t.db, own)).toBeNull()
    const empty = { file_count: '0', storage_bytes: '0', hot_bytes: '0', open_uploads: '0' }
    expect(await t.account()).toMatchObject({ ...empty, vault_count: '1' })
    await purgeAll()
    for (const file of files) expect([await t.exists(file), await t.traces(file)]).toEqual([false, []])
    await t.database.sql('update vault set purge_due_at = now()')
    await purgeVaults({ ...t, log, settleSeconds }, never)
    expect(await t.database.sql('select 1 from vault')).toEqual([])
    expect(await t.account()).toMatchObject({ ...empty, vault_count: '0' })
  })

  it('ignore a vault that was restored in time', async () => {
    const file = await t.hotFile()
    const own = { accountId: t.accountId, vaultId: t.vaultId }
    must(await trashVault(t.db, own, { force: true, retentionSeconds: 0 }))
    must(await restoreVault(t.db, own))
    await purgeVaults({ ...t, log, settleSeconds }, never)
    expect(await t.read(file.id)).toMatchObject({ purgingAt: null })
  })
})

describe('the periodic task of purges', () => {
  it('continues with other files when one purge fails, and retries that one with growing delays', async () => {
    const files = await Promise.all(Array.from({ length: 12 }, () => t.syncedFile()))
    for (const file of files) await t.beginPurge(file)
    const [stuck, ...others] = [must(files[0]), ...files.slice(1)]
    await t.assignCopies(stuck.id, `network = 'elsewhere'`)
    await t.assign(stuck.id, `purge_due_at = now() - interval '1 day'`)
    const run = () => purgeFiles({ ...t, log }, never)
    await run()
    for (const file of others) expect(await t.traces(file)).toEqual([])
    const waits: number[] = []
    for (const failures of [1, 2, 3]) {
      const row = await t.read(stuck.id)
      expect(row).toMatchObject({ taskFailures: failures, claimedUntil: null })
      waits.push(Math.round((must(row.purgeDueAt).getTime() - Date.now()) / 30_000))
      await t.assign(stuck.id, 'purge_due_at = now()')
      await run()
    }
    expect(waits).toEqual([1, 2, 4])
    await t.assignCopies(stuck.id, `network = 'embedded'`)
    await t.assign(stuck.id, 'purge_due_at = now()')
    await run()
    expect(await t.traces(stuck)).toEqual([])
    expect((await t.read(stuck.id)).taskFailures).toBe(0)
  })

  it('counts no failures while the network is unavailable, and continues when it is back', async () => {
    const file = await t.syncedFile()
    await t.beginPurge(file)
    await t.takeNetworkDown()
    await expect(purgeFiles({ ...t, log }, never)).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    expect(await t.read(file.id)).toMatchObject({ taskFailures: 0, claimedUntil: null })
    await t.bringNetworkUp()
    await purgeFiles({ ...t, log }, never)
    expect(await t.traces(file)).toEqual([])
  })
})

describe('ten periodic tasks on one database', () => {
  const ten = (run: () => Promise<unknown>) => Promise.all(Array.from({ length: 10 }, run))
  /** Any number of rows, without objects. */
  const insertFiles = (count: number, columns: Record<string, string>) =>
    t.database.sql(
      `insert into file (id, account_id, vault_id, name, mime_type, size_bytes, upload_key, ${Object.keys(columns)},
         upload_expires_at)
       select gen_random_uuid(), $1, $2, 'f', 'text/plain', 0, 'hot/none/' || n, ${Object.values(columns)}, now()
       from generate_series(1, ${count}) n`,
      [t.accountId, t.vaultId],
    )
  const count = async (where: string) =>
    Number((await t.database.sql<{ n: string }>(`select count(*) as n from file where ${where}`))[0]?.n)

  it('visit every row once, and skip a failing first row', async () => {
    await insertFiles(300, { status: `'hot'`, cleanup_after: `now() - interval '1 hour'` })
    const [failing] = await t.database.sql<{ id: string }>('select id from file limit 1')
    await t.assign(must(failing).id, `cleanup_after = now() - interval '2 days'`)
    const visited: string[] = []
    const visit = async ({ id }: { id: string }) => {
      visited.push(id)
      if (id === must(failing).id) throw new Error('This one always fails')
      await t.database.sql('update file set cleanup_after = null, claimed_until = null where id = $1', [id])
    }
    const work = {
      rows: fileRows,
      name: 'test',
      due: { where: sql`cleanup_after <= now()`, by: sql`cleanup_after` },
      putOff: (until: RawBuilder<unknown>) => sql`claimed_until = null, cleanup_after = ${until}`,
      visit,
    }
    await ten(() => processDueRows({ ...t, log }, never, work))
    expect(visited).toHaveLength(300)
    expect(new Set(visited).size).toBe(300)
    expect(await count('cleanup_after is not null')).toBe(1)
  })

  it('purge uploads, trash, and vaults without blocking each other', async () => {
    await t.database.sql('update account set file_count = 200, open_uploads = 100')
    await t.database.sql('update vault set file_count = 100')
    await insertFiles(100, { status: `'uploading'` })
    const trashed = { deleted_at: 'now()', purge_due_at: 'now()' }
    await insertFiles(100, { status: `'synced'`, ...trashed })
    const deps = { ...t, log, settleSeconds }
    await Promise.all([ten(() => expireUploads(deps, never)), ten(() => emptyTrash(deps, never))])
    expect(await count(`purging_at is null`)).toBe(0)
    // The task does not wait for its own claims.
    expect(await count(`cleanup_after > now() + interval '${settleSeconds + 5} seconds'`)).toBe(0)
    expect(await t.account()).toMatchObject({ file_count: '0', open_uploads: '0' })

    await t.database.sql(`insert into vault (id, account_id, name, visibility, slug, deleted_at, purge_due_at)
      select gen_random_uuid(), account_id, 'v', 'private', 'v' || n, now(), now() from vault, generate_series(1, 40) n`)
    await t.database.sql('update account set vault_count = 41')
    await ten(() => purgeVaults(deps, never))
    expect(await t.account()).toMatchObject({ vault_count: '1' })
  })
})

it('idempotency keys are deleted after 24 hours', async () => {
  const insert = (key: string, age: string) =>
    t.database.sql(
      `insert into idempotency_key (account_id, key, request_digest, resource_id, created_at)
       values ($1, $2, 'digest', $1, now() - $3::interval)`,
      [t.accountId, key, age],
    )
  await insert('old', '24 hours')
  await insert('young', '23 hours')
  await deleteExpiredRows({ ...t, accountJobRetentionSeconds: 60, auditRetentionSeconds: 60 })
  expect(await t.database.sql('select key from idempotency_key')).toEqual([{ key: 'young' }])
})
