import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { cleanUpUpload, isCleanupDue } from '../../src/upload/clean-up-uploads.ts'
import { claimWhere } from '../../src/work/claim.ts'
import { claimFor } from '../../src/work/claim-step.ts'
import { must, never } from '../bundle.ts'
import { setupPurging } from '../purging.ts'
import { SLOW_PUT_BYTES, startSlowPut } from '../slow-put.ts'

const t = setUpOnce(setupPurging)

/** Cleans up as the periodic task does. Returns whether it was due. */
async function settle({ id }: { id: string }): Promise<boolean> {
  const file = await claimWhere(t.db, id, isCleanupDue)
  if (file) await cleanUpUpload(t, file, never)
  return file !== null
}

describe('cleaning up uploads', () => {
  it('aborts an upload that a PUT during the confirm revived, and keeps the confirmed bytes', async () => {
    const { file, url } = await t.begin(SLOW_PUT_BYTES)
    await t.put(url, 'y'.repeat(SLOW_PUT_BYTES))
    const put = await startSlowPut(url)
    expect(await t.confirm(file, { waitMs: 30_000 })).toMatchObject({ outcome: 'confirmed' })
    expect(await put.finish()).toBe(200)
    expect(await t.traces(file)).toEqual(['upload', 'object'])
    expect(await settle(file)).toBe(false)

    await t.assign(file.id, 'cleanup_after = now()')
    expect(await settle(file)).toBe(true)
    expect(await t.traces(file)).toEqual(['object'])
    expect(await t.hotTier.head(file.uploadKey)).toBe(SLOW_PUT_BYTES)
    expect(await t.read(file.id)).toMatchObject({ cleanupAfter: null, claimedUntil: null, unfinishedClaims: 0 })
    expect(await settle(file)).toBe(false)
  })

  it('removes an object that a late completion created after the eviction', async () => {
    const file = await t.syncedFile()
    await t.assign(file.id, `status = 'cold', hot_key = null, cleanup_after = now()`)
    expect(await settle(file)).toBe(true)
    expect(await t.hotTier.head(file.uploadKey)).toBeNull()
  })

  it('ignores open uploads, and cleans up a late confirm at once', async () => {
    const { file, url } = await t.begin(5)
    await t.assign(file.id, 'cleanup_after = now()')
    expect(await settle(file)).toBe(false)
    await t.put(url, 'hello')
    await t.confirm(file)
    await t.assign(file.id, 'cleanup_after = now()')
    expect(await settle(file)).toBe(true)
    expect(await t.hotTier.head(file.uploadKey)).toBe(5)
  })

  it('waits for a worker, and a worker waits for it', async () => {
    const file = await t.provedFile()
    await t.assign(file.id, 'cleanup_after = now()')
    must(await claimFor(t.writes, { fileId: file.id }, 'evict'))
    expect(await settle(file)).toBe(false)
    await t.assign(file.id, 'claimed_until = null')
    expect(await settle(file)).toBe(true)
    expect(await claimFor(t.writes, { fileId: file.id }, 'evict')).not.toBeNull()
  })
})
