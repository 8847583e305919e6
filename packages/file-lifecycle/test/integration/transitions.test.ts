import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { recordAttempt } from '../../src/copies/record-attempt.ts'
import { type ClaimedCopy, markCopyFailed, markStored, nameCopy } from '../../src/state/copy-transitions.ts'
import { withCopies } from '../../src/state/file-copies.ts'
import { reloadFile } from '../../src/state/queries.ts'
import { markCold, markHot } from '../../src/state/transitions.ts'
import { claimCopy } from '../../src/work/claim-step.ts'
import { writeCopy } from '../../src/work/write-claimed.ts'
import { must, names, setup as setupUploads } from '../bundle.ts'

const t = setUpOnce(setup)

const named = { blobId: 'bafkrei', ref: {} }
const held = { blobId: 'bafkrei', sha256: 'ab', billedBytes: 5, leaseExpiresAt: null, hotRetentionSeconds: 60 }

async function setup() {
  const t = await setupUploads()
  /** As whoever got the job of a store. Null: it is not due, or somebody else's. */
  const claim = async ({ id }: { id: string }): Promise<ClaimedCopy | null> => {
    return await claimCopy(t.writes, { fileId: id, network: 'embedded' }, 'store')
  }
  const store = (claimed: ClaimedCopy) => markStored(t.writes, claimed, names, held)
  const fail = (claimed: ClaimedCopy) => markCopyFailed(t.db, claimed, names, 'sync_failed')
  return Object.assign(t, { claim, store, fail })
}

describe('transitions', () => {
  it('write the state and its event in one statement, with the payload of the spec', async () => {
    const hot = await t.hotFile()
    const claimed = must(await t.claim(hot))
    const current = must(await writeCopy(t.db, claimed, (copy) => nameCopy(t.writes, copy, named)))
    const synced = must(await t.store(current))
    expect(synced).toMatchObject({ status: 'synced', sha256: 'ab', version: hot.version + 2 })
    const [copy] = (await withCopies(t.db, synced)).copies
    expect(copy).toMatchObject({ state: 'stored', blobId: 'bafkrei', claimedUntil: null, unfinishedClaims: 0 })
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
    const hot = await t.hotFile()
    const claimed = must(await t.claim(hot))
    await nameCopy(t.writes, claimed, named)
    expect(await t.store(claimed)).toBeNull()
    expect(await markHot(t.writes, hot, names)).toBeNull()
    expect(await markCold(t.writes, must(await reloadFile(t.db, hot.id)), names)).toBeNull()
    expect(await t.events(hot.id)).toEqual(['file.hot'])
  })

  it('refuse the late result of a claim that somebody else took over, with all that goes with it', async () => {
    const hot = await t.hotFile()
    const late = must(await t.claim(hot))
    expect(await t.claim(hot)).toBeNull()
    await t.database.sql(`update copy set claimed_until = now() - interval '1 second'`)
    const current = must(await t.claim(hot))
    expect(current.copy.fencingToken).toBe(late.copy.fencingToken + 1)
    // The file's row is as it was read, so only the copy's token tells.
    expect(current.file.version).toBe(late.file.version)
    expect(await t.store(late)).toBeNull()
    expect(await reloadFile(t.db, hot.id)).toMatchObject({ status: 'hot', version: late.file.version })
    expect(await t.store(current)).not.toBeNull()
  })

  it.each([
    ['itself', (on: boolean) => `update file set deleted_at = ${on ? 'now()' : 'null'}`],
    ['with its vault', (on: boolean) => `update vault set deleted_at = ${on ? 'now()' : 'null'}`],
  ])('write nothing for a file that was thrown away %s while somebody stored it', async (_, trashed) => {
    const hot = await t.hotFile()
    const claimed = must(await t.claim(hot))
    await t.database.sql(trashed(true))
    expect(await nameCopy(t.writes, claimed, named)).toBeNull()
    expect(await writeCopy(t.db, claimed, t.store)).toBeNull()
    expect(await writeCopy(t.db, claimed, t.fail)).toBeNull()
    expect(await t.events(hot.id)).toEqual(['file.hot'])
    await t.database.sql(trashed(false))
    expect(await writeCopy(t.db, claimed, t.store)).not.toBeNull()
  })

  it('count failures in the row of the copy alone and put the next try off', async () => {
    const hot = await t.hotFile()
    const claimed = must(await t.claim(hot))
    const failure = { step: 'store', reason: 'unreachable', delaySeconds: 60 }
    expect(await recordAttempt(t.db, claimed, failure)).toMatchObject({ state: 'planned', attempt: 1, claimedUntil: null }) // biome-ignore format: one line
    expect((await reloadFile(t.db, hot.id))?.version).toBe(hot.version)
    expect(await t.claim(hot)).toBeNull()
    expect(await t.events(hot.id)).toEqual(['file.hot', 'store.failed'])
  })

  it('carry the failure text in the error event and keep the bytes', async () => {
    const hot = await t.hotFile()
    expect(await t.fail(must(await t.claim(hot)))).toMatchObject({ status: 'error', errorCode: 'sync_failed' })
    expect(await t.hotTier.head(must(hot.hotKey))).toBe(5)
    const [event] = await t.database.sql(`select payload from event where type = 'file.error'`)
    expect(event?.['payload']).toMatchObject({
      data: { status: 'error', error: 'The file could not be copied to the storage network' },
    })
    expect(await t.account()).toMatchObject({ hot_bytes: '5' })
  })
})
