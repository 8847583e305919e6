import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { abortUpload, purgeConfirmed, purgeExpired, purgeUnfinished } from '../../src/removal/purge.ts'
import { forgetEvents } from '../../src/removal/purge-file.ts'
import { trashFile } from '../../src/removal/trash.ts'
import { markStored } from '../../src/state/copy-transitions.ts'
import { beginCompleting, recordUploadId, recordUrl } from '../../src/upload/upload-urls.ts'
import { claimFor, withFile } from '../../src/work/claim-step.ts'
import { must, names } from '../bundle.ts'
import { setupPurging } from '../purging.ts'
import { SLOW_PUT_BYTES, startSlowPut } from '../slow-put.ts'

const t = setUpOnce(setupPurging)

const settle = { settleSeconds: 3600, networks: names }
const own = ({ id, accountId }: { id: string; accountId: string }) => ({ fileId: id, accountId })

describe('a purge', () => {
  it('removes everything outside Postgres at once, again when nothing can be created any more, and then the row', async () => {
    const file = await t.syncedFile()
    expect(await t.traces(file)).toContain('object')
    const purging = must(await purgeConfirmed(t.db, own(file), settle))
    expect(must(purging.cleanupAfter).getTime() - must(purging.purgingAt).getTime()).toBeGreaterThanOrEqual(3_600_000)
    expect(await t.account()).toMatchObject({ storage_bytes: '0', file_count: '0', hot_bytes: '0', open_uploads: '0' })

    expect(await t.pass(file)).toBe('settling')
    expect(await t.traces(file)).toEqual([])
    expect(await t.pass(file)).toBe('not_due')
    await t.settle(file)
    expect(await t.pass(file)).toBe('gone')
    expect(await t.exists(file)).toBe(false)
    expect(await t.pass(file)).toBe('not_due')
  })

  it('begins once for any number of requests, and nothing undoes it or continues other work', async () => {
    const file = await t.hotFile()
    const begun = await Promise.all(Array.from({ length: 20 }, () => purgeConfirmed(t.db, own(file), settle)))
    expect(begun.filter(Boolean)).toHaveLength(1)
    expect(await t.account()).toMatchObject({ storage_bytes: '0', file_count: '0', hot_bytes: '0' })
    expect(await trashFile(t.db, own(file), { retentionSeconds: 60, networks: names })).toBeNull()
    expect(await claimFor(t.writes, { fileId: file.id, network: 'embedded' }, 'store')).toBeNull()
    expect(await purgeConfirmed(t.db, { fileId: file.id, accountId: t.vaultId }, settle)).toBeNull()
  })

  it('takes the row from a running worker, and waits until its claim expires', async () => {
    const hot = await t.hotFile()
    await t.assign(hot.id, 'cleanup_after = null')
    const claimed = must(await claimFor(t.writes, { fileId: hot.id, network: 'embedded' }, 'store'))
    const purging = must(await purgeConfirmed(t.db, own(hot), { ...settle, settleSeconds: 0 }))
    expect(purging.cleanupAfter).toEqual(claimed.copy.claimedUntil)
    const stored = { blobId: 'bafk', sha256: 'ab', billedBytes: 5, leaseExpiresAt: null, hotRetentionSeconds: 60 }
    expect(await markStored(t.writes, claimed, names, stored)).toBeNull()
    expect(await markStored(t.writes, { ...claimed, file: purging }, names, stored)).toBeNull()
    expect(await withFile(t.db, claimed.copy)).toBeNull()
    expect(await t.pass(hot)).toBe('settling')
  })

  it('deletes the timeline, but no event that the broker could still lose or the audit log shows', async () => {
    const file = await t.syncedFile()
    await trashFile(t.db, own(file), { retentionSeconds: 60, networks: names })
    const age = (type: string, time: string) =>
      t.database.sql(`update event set published_at = now(), at = now() - $2::interval where type = $1`, [type, time])
    await age('file.hot', '366 days')
    await age('file.synced', '30 days')
    await age('file.deleted', '30 days')
    await t.purge(file)
    expect(await t.events(file.id)).toEqual(['file.deleted', 'file.copied', 'file.purged'])
    await t.database.sql(
      `update event set at = at - interval '366 days', expires_at = expires_at - interval '366 days'`,
    )
    await forgetEvents(t.db)
    expect(await t.events(file.id)).toEqual(['file.copied', 'file.purged'])
    await t.database.sql('update event set published_at = now()')
    await forgetEvents(t.db)
    expect(await t.events(file.id)).toEqual([])
  })
})

describe('an upload that is never confirmed', () => {
  it('is not aborted while it is being confirmed', async () => {
    const { file } = await t.begin(5)
    must(await beginCompleting(t.writes, file, { settleSeconds: 60, lostSeconds: 900 }))
    expect(await abortUpload(t.db, own(file), settle)).toBeNull()
    await t.assign(file.id, 'upload_expires_at = now()')
    expect(await purgeExpired(t.db, file.id, settle)).toBeNull()
    const ended = { ...settle, lostSeconds: 900 }
    expect(await purgeUnfinished(t.db, file.id, ended)).toBeNull()
    await t.assign(file.id, `completing_at = now() - interval '1 hour'`)
    expect(await purgeUnfinished(t.db, file.id, ended)).not.toBeNull()
  })

  it('gets no further URL or store ID after an abort', async () => {
    const created = must(await t.request())
    must(await abortUpload(t.db, own(created), settle))
    const lives = { urlSeconds: 900, settleSeconds: 60 }
    expect(await recordUploadId(t.writes, created, { uploadId: 'late', ...lives })).toBeNull()
    expect(await recordUrl(t.db, created.id, lives)).toBeNull()
    // The last pass removes the upload that the late request opened at the store.
    await t.pass(created)
    await t.hotTier.beginUpload(created.uploadKey, 'image/png')
    await t.settle(created)
    expect(await t.pass(created)).toBe('gone')
    expect(await t.traces(created)).toEqual([])
  })

  it('leaves nothing open when a running PUT revives it', async () => {
    const { file, url } = await t.begin(SLOW_PUT_BYTES)
    const put = await startSlowPut(url)
    must(await abortUpload(t.db, own(file), settle))
    await t.pass(file)
    expect(await t.traces(file)).toEqual([])
    expect(await put.finish()).toBe(200)
    expect(await t.traces(file)).toEqual(['upload'])
    await t.settle(file)
    expect(await t.pass(file)).toBe('gone')
    expect(await t.traces(file)).toEqual([])
  })
})

it('a purge reads no other directory of the network, with or without a blob ID', async () => {
  const [hot, synced, other] = [await t.hotFile('one'), await t.syncedFile('two'), await t.syncedFile('three')]
  // Reading this directory fails.
  const loop = join(t.directory.path, must((await t.copy(other)).blobId))
  await rm(loop, { recursive: true })
  await symlink(loop, loop)
  for (const file of [hot, synced]) {
    await t.purge(file)
    expect([await t.exists(file), await t.traces(file)]).toEqual([false, []])
  }
})
