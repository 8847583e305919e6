import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { must } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'

const t = setUpOnce(setupEviction)

describe('the eviction of a file', () => {
  it('waits for the last presigned URL, deletes the hot object, and sends one event', async () => {
    const file = await t.evictableFile('hello')
    await t.evict(file)
    const evicting = await t.read(file.id)
    expect(evicting).toMatchObject({ status: 'synced', claimedUntil: null, hotKey: file.hotKey })
    expect(must(evicting.evictDueAt).getTime() - must(evicting.evictingAt).getTime()).toBe(660_000)

    await t.evict(file)
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    await t.makeDueForEviction(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({
      ...{ status: 'cold', hotKey: null, hotUntil: null, evictingAt: null, evictDueAt: null, claimedUntil: null },
    })
    expect(await t.hotTier.head(file.hotKey)).toBeNull()
    expect(await t.account()).toMatchObject({ hot_bytes: '0', storage_bytes: '5' })
    expect((await t.events(file.id)).slice(3)).toEqual(['copy.proved', 'evict.begun', 'file.cold'])
  })

  it('sends one event when two workers run at once, and does nothing for a late job', async () => {
    const file = await t.evictingFile()
    await Promise.all([t.evict(file), t.evict(file)])
    await t.evict(file)
    await t.evict({ id: crypto.randomUUID() })
    expect((await t.events(file.id)).filter((type) => type === 'file.cold')).toHaveLength(1)
  })

  it('ignores trashed files, also evicting ones', async () => {
    const file = await t.evictingFile()
    await t.assign(file.id, 'deleted_at = now(), version = version + 1')
    await t.evict(file)
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    await t.assign(file.id, 'deleted_at = null, version = version + 1')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })

  it('makes the file cold after any number of worker crashes behind the deletion', async () => {
    const file = await t.evictingFile()
    await t.hotTier.remove(file.hotKey)
    await t.assign(file.id, 'unfinished_claims = 50')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', unfinishedClaims: 0 })
  })

  it('waits with growing delays, without an error, until the copy is proved with enough lease', async () => {
    const [stored, short] = [await t.syncedFile(), await t.evictableFile()]
    await t.assignCopies(short.id, `lease_expires_at = now() + interval '13 days', leased_at = now()`)
    for (const [attempt, delaySeconds] of [
      [1, 100],
      [2, 200],
    ] as const) {
      for (const file of [stored, short]) {
        await t.makeDueForEviction(file)
        await t.evict(file)
        const waiting = await t.read(file.id)
        expect(waiting).toMatchObject({ status: 'synced', evictingAt: null, evictAttempt: attempt, claimedUntil: null })
        const [wait] = await t.database.sql(
          'select ceil(extract(epoch from evict_due_at - now()))::int as seconds from file where id = $1',
          [file.id],
        )
        expect(Number(wait?.['seconds'])).toBeGreaterThan(delaySeconds - 20)
        expect(Number(wait?.['seconds'])).toBeLessThanOrEqual(delaySeconds)
      }
    }
    expect(await t.hotTier.head(must(stored.hotKey))).toBe(5)
  })
})

describe('a copy that vanishes while the file is evicting', () => {
  it('keeps the hot bytes, is checked at once and healed, and then the file becomes cold', async () => {
    const file = await t.evictingFile('hello')
    await t.hideCopy(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: 1, hotKey: file.hotKey })
    expect((await t.read(file.id)).evictingAt).not.toBeNull()
    expect(await t.hotTier.head(file.hotKey)).toBe(5)

    await t.check()
    expect(await t.copy(file)).toMatchObject({ state: 'planned', checksFailed: 1 })
    await t.makeDueForEviction(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: 2, hotKey: file.hotKey })
    await t.store(file)
    await t.prove(file)
    await t.makeDueForEviction(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced', 'file.cold'])
  })

  it('and returns with one wrong bit is detected by its check, not by a stat', async () => {
    const file = await t.evictingFile('hello')
    await t.hideCopy(file)
    await t.evict(file)
    await t.showCopy(file)
    await t.spoilCopy(file)
    await t.check()
    expect(await t.copy(file)).toMatchObject({ state: 'planned', checksFailed: 1 })
    await t.makeDueForEviction(file)
    await t.evict(file)
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
  })

  it('puts the file in error, no longer evicting, when the hot object is missing too, and keeps the names of both', async () => {
    const file = await t.evictingFile()
    await t.hideCopy(file)
    await t.hotTier.remove(file.hotKey)
    await t.evict(file)
    await t.check()
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({
      ...{ status: 'error', errorCode: 'content_lost', evictingAt: null, hotKey: file.hotKey },
    })
  })

  it('makes eviction wait while its network is down', async () => {
    const file = await t.evictingFile()
    await t.takeNetworkDown()
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', hotKey: file.hotKey, claimedUntil: null })
    expect((await t.read(file.id)).evictingAt).not.toBeNull()
    await expect(t.check()).rejects.toMatchObject({ code: 'unreachable' })
    expect(await t.copy(file)).toMatchObject({ state: 'proved', checksFailed: 0 })
    await t.bringNetworkUp()
    await t.makeDueForEviction(file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })
})

describe('the limits of eviction', () => {
  it('evicts at most the limit per minute and hands the rest back', async () => {
    const evict = t.evictWith({ perMinute: 1 })
    const [first, second] = [await t.evictingFile(), await t.evictingFile()]
    await evict(first)
    await evict(second)
    expect(await t.read(first.id)).toMatchObject({ status: 'cold' })
    const rest = await t.read(second.id)
    expect(rest).toMatchObject({ status: 'synced', claimedUntil: null, unfinishedClaims: 0, evictAttempt: 0 })
    expect(await t.hotTier.head(second.hotKey)).toBe(5)
    await evict(second)
    expect((await t.read(second.id)).fencingToken).toBe(rest.fencingToken)
  })

  it('changes nothing in a dry run', async () => {
    const file = await t.evictableFile()
    const events = await t.events(file.id)
    await t.evictWith({ evictionDryRun: true })(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null, evictAttempt: 0 })
    expect(await t.events(file.id)).toEqual(events)
  })
})
