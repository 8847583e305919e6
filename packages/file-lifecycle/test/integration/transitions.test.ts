import { describe, expect, it } from 'vitest'
import { readAgain } from '../../src/state/queries.ts'
import { markCold, markFailed, markHot, markSynced } from '../../src/state/transitions.ts'
import { recordNetworkCopy, recordSyncFailure } from '../../src/work/attempts.ts'
import { claimDue } from '../../src/work/claim.ts'
import { writeClaimed } from '../../src/work/write-claimed.ts'
import { must, setup } from '../bundle.ts'

const copy = { network: 'embedded', blobId: 'bafkrei', ref: {} }
const stored = { sha256: 'ab', leaseExpiresAt: null, hotRetentionSeconds: 60 }

describe('transitions', () => {
  it('write the state and its event in one statement, with the payload of the spec', async () => {
    await using t = await setup()
    const hot = await t.hotFile()
    const claimed = must(await claimDue(t.db, hot.id, 'sync'))
    const named = must(await recordNetworkCopy(t.db, claimed, copy))
    const synced = must(await markSynced(t.db, named, stored))
    expect(synced).toMatchObject({ status: 'synced', sha256: 'ab', claimedUntil: null, poison: 0, syncDueAt: null })
    expect(must(synced.evictDueAt).getTime()).toBe(must(synced.hotUntil).getTime())
    const [event] = await t.database.sql(`select payload from event where type = 'file.synced'`)
    expect(event?.['payload']).toEqual({
      event: 'file.synced',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        fileId: hot.id,
        fileName: 'cat.png',
        vaultId: t.vaultId,
        status: 'synced',
        sizeBytes: 5,
        storageNetworkBlobId: 'bafkrei',
      },
    })
  })

  it('refuse a row that changed since it was read, and write no event then', async () => {
    await using t = await setup()
    const hot = await t.hotFile()
    const claimed = must(await claimDue(t.db, hot.id, 'sync'))
    await recordNetworkCopy(t.db, claimed, copy)
    expect(await markSynced(t.db, claimed, stored)).toBeNull()
    expect(await markHot(t.db, hot)).toBeNull()
    expect(await markCold(t.db, must(await readAgain(t.db, hot.id)))).toBeNull()
    expect(await t.events(hot.id)).toEqual(['file.hot'])
  })

  it('refuse the late result of a claim that somebody else took over', async () => {
    await using t = await setup()
    const hot = await t.hotFile()
    const late = must(await claimDue(t.db, hot.id, 'sync'))
    expect(await claimDue(t.db, hot.id, 'sync')).toBeNull()
    await t.database.sql(`update file set claimed_until = now() - interval '1 second'`)
    const current = must(await claimDue(t.db, hot.id, 'sync'))
    expect(current.claims).toBe(late.claims + 1)
    expect(await markSynced(t.db, late, stored)).toBeNull()
    expect(await markSynced(t.db, current, stored)).not.toBeNull()
  })

  it.each([
    ['itself', (on: boolean) => `update file set deleted_at = ${on ? 'now()' : 'null'}`],
    ['with its vault', (on: boolean) => `update vault set deleted_at = ${on ? 'now()' : 'null'}`],
  ])('write nothing for a file that was thrown away %s while somebody worked for it', async (_, trashed) => {
    await using t = await setup()
    const hot = await t.hotFile()
    const claimed = must(await claimDue(t.db, hot.id, 'sync'))
    await t.database.sql(trashed(true))
    expect(await recordNetworkCopy(t.db, claimed, copy)).toBeNull()
    expect(await writeClaimed(t.db, claimed, (file) => markSynced(t.db, file, stored))).toBeNull()
    expect(await writeClaimed(t.db, claimed, (file) => markFailed(t.db, file, 'sync_failed'))).toBeNull()
    expect(await t.events(hot.id)).toEqual(['file.hot'])
    await t.database.sql(trashed(false))
    expect(await writeClaimed(t.db, claimed, (file) => markSynced(t.db, file, stored))).not.toBeNull()
  })

  it('count failures in the row and put the next try off', async () => {
    await using t = await setup()
    const hot = await t.hotFile()
    const claimed = must(await claimDue(t.db, hot.id, 'sync'))
    const failed = must(await recordSyncFailure(t.db, claimed, { reason: 'unreachable', delaySeconds: 60 }))
    expect(failed).toMatchObject({ status: 'hot', syncAttempt: 1, claimedUntil: null, poison: 0 })
    expect(await claimDue(t.db, hot.id, 'sync')).toBeNull()
    expect(await t.events(hot.id)).toEqual(['file.hot', 'sync.failed'])
  })

  it('carry the failure text in the error event and keep the bytes', async () => {
    await using t = await setup()
    const hot = await t.hotFile()
    const claimed = must(await claimDue(t.db, hot.id, 'sync'))
    expect(await markFailed(t.db, claimed, 'sync_failed')).toMatchObject({
      status: 'error',
      errorCode: 'sync_failed',
    })
    expect(await t.hotTier.head(must(hot.hotKey))).toBe(5)
    const [event] = await t.database.sql(`select payload from event where type = 'file.error'`)
    expect(event?.['payload']).toMatchObject({
      data: { status: 'error', error: 'The file could not be copied to the storage network' },
    })
    expect(await t.account()).toMatchObject({ hot_bytes: '5' })
  })
})
