import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { must } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'

const t = setUpOnce(setupEviction)

describe('the eviction of a file', () => {
  it('waits for the last presigned URL, drops the hot object and tells once', async () => {
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

  it('gives one event to two workers at once, and nothing to a late job', async () => {
    const file = await t.evictingFile()
    await Promise.all([t.evict(file), t.evict(file)])
    await t.evict(file)
    await t.evict({ id: crypto.randomUUID() })
    expect((await t.events(file.id)).filter((type) => type === 'file.cold')).toHaveLength(1)
  })

  it('leaves files in trash alone, also evicting ones', async () => {
    const file = await t.evictingFile()
    await t.assign(file.id, 'deleted_at = now(), version = version + 1')
    await t.evict(file)
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    await t.assign(file.id, 'deleted_at = null, version = version + 1')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })

  it('goes on to cold when a worker died after the deletion, however often', async () => {
    const file = await t.evictingFile()
    await t.hotTier.remove(file.hotKey)
    await t.assign(file.id, 'unfinished_claims = 50')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', unfinishedClaims: 0 })
  })

  it('does not begin before the copy is proved with lease enough: it waits, longer each time, and ends in no error', async () => {
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
  it('keeps the hot bytes, is looked at at once and healed, and then the file goes on to cold', async () => {
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

  it('and is back with one wrong bit is found by its check, not by a look', async () => {
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

  it('ends in error, no longer evicting, when the hot object is gone too, and names both places on', async () => {
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

  it('is only waited for while its network is down', async () => {
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
  it('drops no more than the cap in a minute and hands the rest back', async () => {
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
