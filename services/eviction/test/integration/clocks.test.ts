import { openJobQueue } from '@tideport/file-lifecycle/job-queue'
import { log, must, never } from '@tideport/file-lifecycle/test/bundle'
import { type PurgingBundle, setupPurging } from '@tideport/file-lifecycle/test/purging'
import { restoreVault, trashVault } from '@tideport/file-lifecycle/trash-vault'
import { beginCompleting } from '@tideport/file-lifecycle/uploads'
import { createMetrics } from '@tideport/service-kit/metrics'
import { connectNats } from '@tideport/service-kit/nats'
import { describe, expect, it } from 'vitest'
import { emptyTrash } from '../../src/empty-trash.ts'
import { expireUploads } from '../../src/expire-uploads.ts'
import { finishConfirms } from '../../src/finish-confirms.ts'
import { forgetOld } from '../../src/forget-old.ts'
import { purgeFiles } from '../../src/purge-files.ts'
import { settleUploads } from '../../src/settle-uploads.ts'

const settleSeconds = 3600

/** What is due at any time is due now, and whatever was under way has ended. */
const passTime = (t: PurgingBundle) =>
  t.database.sql(`update file set claimed_until = null, settle_at = case when settle_at is not null then now() end,
    purge_due_at = case when purge_due_at is not null then now() end`)

async function purgeAll(t: PurgingBundle) {
  await purgeFiles({ ...t, log }, never)
  await passTime(t)
  await purgeFiles({ ...t, log }, never)
}

describe('the clock of uploads', () => {
  it('ends those whose time is over, however many, and leaves nothing of them', async () => {
    await using t = await setupPurging()
    const kept = (await t.begin(5)).file
    const expired = await Promise.all(Array.from({ length: 20 }, () => t.begin(5)))
    for (const { file, url } of expired) {
      await t.put(url, 'hello')
      await t.assign(file.id, 'upload_expires_at = now()')
    }
    await expireUploads({ ...t, settleSeconds }, never)
    expect(await t.account()).toMatchObject({ open_uploads: '1', file_count: '1', storage_bytes: '5' })
    await purgeAll(t)
    for (const { file } of expired) expect([await t.exists(file), await t.traces(file)]).toEqual([false, []])
    expect(await t.traces(kept)).toEqual(['upload'])
  })

  it('ends a confirm that the store has lost, but not before the time of the upload is over', async () => {
    await using t = await setupPurging()
    await using nats = connectNats({ natsUrl: ['nats://127.0.0.1:9'], name: 'test', log })
    const jobs = openJobQueue({ nats, log, metrics: createMetrics('test') })
    const deps = { ...t, jobs, relay: { wake: () => {} }, log, settleSeconds, confirmRecheckSeconds: 1 }
    const finish = () => finishConfirms({ ...deps, confirmLostSeconds: 900 }, never)
    const { file } = await t.begin(5)
    must(await beginCompleting(t.db, file, { settleSeconds, lostSeconds: 900 }))
    await t.hotTier.abortUploads(file.uploadKey)
    await t.assign(file.id, `completing_at = now() - interval '1 hour'`)
    await finish()
    expect(await t.read(file.id)).toMatchObject({ purgingAt: null })
    await t.assign(file.id, 'claimed_until = null, upload_expires_at = now()')
    await finish()
    expect((await t.read(file.id)).purgingAt).not.toBeNull()
  })
})

describe('the clock of the trash', () => {
  it('purges files whose time is over, and only those', async () => {
    await using t = await setupPurging()
    const [over, waiting, live] = [await t.syncedFile(), await t.syncedFile(), await t.syncedFile()]
    await t.trash(over)
    await t.trash(waiting)
    await t.assign(over.id, 'purge_due_at = now()')
    await emptyTrash({ ...t, settleSeconds }, never)
    expect(await t.account()).toMatchObject({ file_count: '2', storage_bytes: '10' })
    await purgeFiles({ ...t, log }, never)
    expect(await t.traces(over)).toEqual([])
    for (const file of [waiting, live]) expect(await t.hotTier.head(must(file.hotKey))).toBe(5)
  })

  it('purges a vault with all its files, and its row last', async () => {
    await using t = await setupPurging()
    const files = [await t.hotFile(), await t.syncedFile(), (await t.begin(5)).file]
    const own = { accountId: t.accountId, vaultId: t.vaultId }
    must(await trashVault(t.db, own, { force: true, retentionSeconds: 60 }))
    await emptyTrash({ ...t, settleSeconds }, never)
    expect(await t.account()).toMatchObject({ file_count: '3', vault_count: '1' })

    await t.database.sql('update vault set purge_due_at = now()')
    await emptyTrash({ ...t, settleSeconds }, never)
    expect(await restoreVault(t.db, own)).toBeNull()
    const empty = { file_count: '0', storage_bytes: '0', hot_bytes: '0', open_uploads: '0' }
    expect(await t.account()).toMatchObject({ ...empty, vault_count: '1' })
    await purgeAll(t)
    for (const file of files) expect([await t.exists(file), await t.traces(file)]).toEqual([false, []])
    await t.database.sql('update vault set purge_due_at = now()')
    await emptyTrash({ ...t, settleSeconds }, never)
    expect(await t.database.sql('select 1 from vault')).toEqual([])
    expect(await t.account()).toMatchObject({ ...empty, vault_count: '0' })
  })

  it('leaves a vault that was restored in time alone', async () => {
    await using t = await setupPurging()
    const file = await t.hotFile()
    const own = { accountId: t.accountId, vaultId: t.vaultId }
    must(await trashVault(t.db, own, { force: true, retentionSeconds: 0 }))
    must(await restoreVault(t.db, own))
    await emptyTrash({ ...t, settleSeconds }, never)
    expect(await t.read(file.id)).toMatchObject({ purgingAt: null })
  })
})

describe('the clock of purges', () => {
  it('goes on with the others when one cannot be carried out, and with that one in time', async () => {
    await using t = await setupPurging()
    const files = await Promise.all(Array.from({ length: 12 }, () => t.syncedFile()))
    for (const file of files) await t.beginPurge(file)
    const [stuck, ...others] = files
    await t.assign(must(stuck).id, `network = 'elsewhere', purge_due_at = now() - interval '1 day'`)
    const run = () => purgeFiles({ ...t, log }, never).catch(() => undefined)
    await run()
    await run()
    for (const file of others) expect(await t.traces(file)).toEqual([])
    expect(await t.exists(must(stuck))).toBe(true)
    await t.assign(must(stuck).id, `network = 'embedded', claimed_until = null`)
    await run()
    expect(await t.traces(must(stuck))).toEqual([])
  })
})

it('the clock of settling takes confirmed files, and leaves their bytes', async () => {
  await using t = await setupPurging()
  const [file, open] = [await t.hotFile(), (await t.begin(5)).file]
  await t.hotTier.beginUpload(file.uploadKey, 'image/png')
  await passTime(t)
  await settleUploads(t, never)
  expect(await t.traces(file)).toEqual(['object'])
  expect(await t.traces(open)).toEqual(['upload'])
  expect((await t.read(file.id)).settleAt).toBeNull()
})

it('idempotency keys go after 24 hours', async () => {
  await using t = await setupPurging()
  const insert = (key: string, age: string) =>
    t.database.sql(
      `insert into idempotency_key (account_id, key, request_digest, resource_id, created_at)
       values ($1, $2, 'digest', $1, now() - $3::interval)`,
      [t.accountId, key, age],
    )
  await insert('old', '24 hours')
  await insert('young', '23 hours')
  await forgetOld(t)
  expect(await t.database.sql('select key from idempotency_key')).toEqual([{ key: 'young' }])
})
