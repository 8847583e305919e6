import { cp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { evictFile } from '../../src/evict/evict-file.ts'
import { createEvictionRate } from '../../src/evict/eviction-rate.ts'
import { log } from '../bundle.ts'
import { type EvictionBundle, setupEviction } from '../evict-bundle.ts'

async function setup({ perMinute = 600, evictionDryRun = false } = {}) {
  const t = await setupEviction()
  const step = evictFile({
    ...t,
    rate: createEvictionRate(t.db, perMinute),
    log,
    downloadUrlSeconds: 600,
    clockSkewSeconds: 60,
    evictionRetryBaseSeconds: 100,
    evictionDryRun,
  })
  return Object.assign(t, { evict: t.worker(step) })
}

/** Proved and waiting for the last presigned URL to run out; that wait is over. */
async function evictingFile(t: Awaited<ReturnType<typeof setup>>, body?: string) {
  const file = await t.syncedFile(body)
  await t.evict(file)
  expect((await t.read(file.id)).evictingAt).not.toBeNull()
  await t.makeDue(file.id)
  return file
}

async function loseCopy(t: EvictionBundle, file: { id: string; blobId: string }): Promise<void> {
  await rm(join(t.directory.path, t.entryOf(file)))
}

/** Reading it is an input/output error (EIO) on any Linux. */
async function makeUnreadable(t: EvictionBundle, file: { id: string; blobId: string }): Promise<void> {
  const sidecar = join(t.directory.path, `${t.entryOf(file)}.dag`)
  await rm(sidecar)
  await symlink('/proc/self/mem', sidecar)
}

describe.skipIf(process.platform !== 'linux')('the eviction of a file whose copy cannot be read', () => {
  it('is counted, told in the timeline, and ends in error after three proofs; others go on, hot bytes stay', async () => {
    await using t = await setup()
    const [bad, good] = [await t.syncedFile('bad'), await t.syncedFile('good')]
    await makeUnreadable(t, bad)
    for (const attempt of [1, 2, 3]) {
      await t.evict(bad)
      expect(await t.read(bad.id)).toMatchObject({ evictAttempt: attempt, claimedUntil: null })
      expect(t.circuit.isClosed()).toBe(true)
      await t.makeDue(bad.id)
    }
    await t.evict(good)
    expect((await t.read(good.id)).evictingAt).not.toBeNull()
    expect(await t.read(bad.id)).toMatchObject({ status: 'error', errorCode: 'proof_failed', hotKey: bad.hotKey })
    expect(await t.hotTier.head(bad.hotKey)).toBe(3)
    expect((await t.events(bad.id)).slice(2)).toEqual(['evict.refused', 'evict.refused', 'evict.refused', 'file.error'])
  })

  it('is never given up while the copy is the only one', async () => {
    await using t = await setup()
    const file = await evictingFile(t, 'hello')
    await t.assign(file.id, 'evict_attempt = 2')
    await makeUnreadable(t, file)
    await t.hotTier.remove(file.hotKey)
    for (const _ of [1, 2]) {
      await t.evict(file)
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: 2 })
      await t.makeDue(file.id)
    }
  })
})

describe('the eviction of a file', () => {
  it('proves the copy, waits for the last presigned URL, drops the hot object and tells once', async () => {
    await using t = await setup()
    const file = await t.syncedFile('hello')
    await t.evict(file)
    const evicting = await t.read(file.id)
    expect(evicting).toMatchObject({ status: 'synced', claimedUntil: null, hotKey: file.hotKey })
    expect((evicting.evictDueAt?.getTime() ?? 0) - (evicting.evictingAt?.getTime() ?? 0)).toBe(660_000)

    await t.evict(file)
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    await t.makeDue(file.id)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({
      status: 'cold',
      hotKey: null,
      hotUntil: null,
      evictingAt: null,
      evictDueAt: null,
      claimedUntil: null,
    })
    expect(await t.hotTier.head(file.hotKey)).toBeNull()
    expect(await t.account()).toMatchObject({ hot_bytes: '0', storage_bytes: '5' })
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced', 'evict.proved', 'file.cold'])
  })

  it('gives one event to two workers at once, and nothing to a late job', async () => {
    await using t = await setup()
    const file = await evictingFile(t)
    await Promise.all([t.evict(file), t.evict(file)])
    await t.evict(file)
    await t.evict({ id: crypto.randomUUID() })
    expect((await t.events(file.id)).filter((type) => type === 'file.cold')).toHaveLength(1)
  })

  it('leaves files in trash alone, also evicting ones', async () => {
    await using t = await setup()
    const file = await evictingFile(t)
    await t.assign(file.id, 'deleted_at = now(), version = version + 1')
    await t.evict(file)
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    await t.assign(file.id, 'deleted_at = null, version = version + 1')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })

  it('goes on to cold when a worker died after the deletion, however often', async () => {
    await using t = await setup()
    const file = await evictingFile(t)
    await t.hotTier.remove(file.hotKey)
    await t.assign(file.id, 'poison = 50')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })

  it('is poison after twenty claims without an outcome, bytes kept, as long as it is not evicting', async () => {
    await using t = await setup()
    const file = await t.syncedFile()
    await t.assign(file.id, 'poison = 20')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'poison', hotKey: file.hotKey })
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
  })
})

describe('a copy that cannot be proved', () => {
  it.each([
    ['rotten', (t: EvictionBundle, file: { id: string; blobId: string }) => t.directory.corrupt(t.entryOf(file), 2)],
    ['absent', loseCopy],
  ])('is never evicted when it is %s: in error after three proofs, bytes kept', async (_, spoil) => {
    await using t = await setup()
    const file = await t.syncedFile('hello')
    await spoil(t, file)
    for (const [attempt, delaySeconds] of [
      [1, 100],
      [2, 200],
    ] as const) {
      await t.evict(file)
      const refused = await t.read(file.id)
      expect(refused).toMatchObject({ status: 'synced', evictAttempt: attempt, evictingAt: null, claimedUntil: null })
      expect((refused.evictDueAt?.getTime() ?? 0) - refused.updatedAt.getTime()).toBe(delaySeconds * 1000)
      await t.makeDue(file.id)
    }
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({
      status: 'error',
      errorCode: 'proof_failed',
      hotKey: file.hotKey,
      evictDueAt: null,
    })
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
    expect((await t.events(file.id)).at(-1)).toBe('file.error')
  })

  it('counts nothing while the network is down, and goes on when it is back', async () => {
    await using t = await setup()
    const [synced, evicting] = [await t.syncedFile(), await evictingFile(t)]
    await t.takeNetworkDown()
    for (const file of [synced, evicting]) {
      await t.evict(file)
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: 0, poison: 0, claimedUntil: null })
    }
    expect(t.circuit.isClosed()).toBe(false)
    await t.bringNetworkUp()
    await waitFor(() => t.circuit.isClosed(), { what: 'the circuit to close' })
    await t.makeDue(evicting.id)
    await t.evict(evicting)
    expect(await t.read(evicting.id)).toMatchObject({ status: 'cold' })
  })
})

describe('a copy that vanishes while the file is evicting', () => {
  it('keeps the bytes and is proved in full again, not only looked at', async () => {
    await using t = await setup()
    const file = await evictingFile(t, 'hello')
    const entry = join(t.directory.path, t.entryOf(file))
    await cp(entry, `${entry}.kept`)
    await loseCopy(t, file)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: 1, hotKey: file.hotKey })
    expect((await t.read(file.id)).evictingAt).not.toBeNull()

    // Back with the right size and one wrong bit: only a full proof sees that.
    await cp(`${entry}.kept`, entry)
    await t.directory.corrupt(t.entryOf(file), 1)
    await t.makeDue(file.id)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictAttempt: 2 })
    expect(await t.hotTier.head(file.hotKey)).toBe(5)

    await cp(`${entry}.kept`, entry)
    await t.makeDue(file.id)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
  })

  it('ends in error for good, no longer evicting, bytes kept', async () => {
    await using t = await setup()
    const file = await evictingFile(t)
    await loseCopy(t, file)
    await t.assign(file.id, 'evict_attempt = 2')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({
      status: 'error',
      errorCode: 'proof_failed',
      evictingAt: null,
      hotKey: file.hotKey,
    })
    expect(await t.hotTier.head(file.hotKey)).toBe(5)
  })

  it('ends in error at once when the hot object is gone too', async () => {
    await using t = await setup()
    const file = await evictingFile(t)
    await loseCopy(t, file)
    await t.hotTier.remove(file.hotKey)
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'proof_failed', hotKey: null })
    expect(await t.account()).toMatchObject({ hot_bytes: '0' })
  })
})

describe('the limits of eviction', () => {
  it('drops no more than the cap in a minute and hands the rest back', async () => {
    await using t = await setup({ perMinute: 1 })
    const [first, second] = [await evictingFile(t), await evictingFile(t)]
    await t.evict(first)
    await t.evict(second)
    expect(await t.read(first.id)).toMatchObject({ status: 'cold' })
    const rest = await t.read(second.id)
    expect(rest).toMatchObject({ status: 'synced', claimedUntil: null, poison: 0, evictAttempt: 0 })
    expect(await t.hotTier.head(second.hotKey)).toBe(5)
    await t.evict(second)
    expect((await t.read(second.id)).claims).toBe(rest.claims)
  })

  it('changes nothing in a dry run', async () => {
    await using t = await setup({ evictionDryRun: true })
    const [good, bad] = [await t.syncedFile(), await t.syncedFile()]
    await t.directory.corrupt(t.entryOf(bad))
    for (const file of [good, bad]) {
      await t.evict(file)
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', evictingAt: null, evictAttempt: 0 })
      expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced'])
    }
  })
})
