import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { syncFile } from '../../src/copies/sync-file.ts'
import { must, never } from '../bundle.ts'
import { holdAt } from '../hold-at.ts'
import { setupWorker } from '../worker-bundle.ts'

async function setup(store?: Parameters<typeof setupWorker>[0]) {
  const t = await setupWorker(store)
  const limits = { syncAttemptsMax: 3, syncRetryBaseSeconds: 100, hotRetentionSeconds: 60 }
  return Object.assign(t, { sync: t.worker(syncFile({ ...t, ...limits })) })
}
type Bundle = Awaited<ReturnType<typeof setup>>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function networkBytes(t: Bundle, fileId: string): Promise<string> {
  const { blobId } = await t.read(fileId)
  return (await buffer(await t.network.open(must(blobId), { fileId, signal: never }))).toString()
}

describe('the sync of a file', () => {
  it('copies the bytes, tells once, and leaves the hot copy with its retention', async () => {
    await using t = await setup()
    const { id, hotKey } = await t.hotFile('hello')
    await t.sync({ id })
    const file = await t.read(id)
    expect(file).toMatchObject({
      status: 'synced',
      sha256: sha256('hello'),
      network: 'embedded',
      syncDueAt: null,
      hotKey,
    })
    expect(must(file.hotUntil).getTime() - must(file.syncedAt).getTime()).toBe(60_000)
    expect(file.evictDueAt).toEqual(file.hotUntil)
    expect(file.claimedUntil).toBeNull()
    expect(await networkBytes(t, id)).toBe('hello')
    expect(await t.events(id)).toEqual(['file.hot', 'file.synced'])
  })

  it('copies once when the job comes to two workers at once, and again when it comes late', async () => {
    await using t = await setup()
    const file = await t.hotFile()
    await Promise.all([t.sync(file), t.sync(file)])
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', claims: 1 })
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced'])
  })

  it('does nothing for a file in trash, in a trashed vault, or nowhere', async () => {
    await using t = await setup()
    const [trashed, inTrashedVault] = [await t.hotFile(), await t.hotFile()]
    await t.assign(trashed.id, 'deleted_at = now(), version = version + 1')
    await t.sync(trashed)
    await t.database.sql('update vault set deleted_at = now()')
    await t.sync(inTrashedVault)
    await t.sync({ id: crypto.randomUUID() })
    expect(await t.read(trashed.id)).toMatchObject({ status: 'hot', claims: 0 })
    expect(await t.read(inTrashedVault.id)).toMatchObject({ status: 'hot', claims: 0 })
  })

  it('copies an empty file', async () => {
    await using t = await setup()
    const file = await t.hotFile('')
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', sha256: sha256('') })
  })
})

describe('a sync that was overtaken', () => {
  it('cannot write its late result over that of the next claim', async () => {
    await using t = await setup()
    await using held = await holdAt('sync.before-network-commit')
    const file = await t.hotFile()
    const first = t.sync(file)
    await waitFor(async () => (await t.read(file.id)).blobId, { what: 'the first worker to be held' })
    await t.assign(file.id, 'claimed_until = now(), blob_id = null')
    const second = t.sync(file)
    await waitFor(async () => (await t.read(file.id)).blobId, { what: 'the second worker to be held' })
    await held.release()
    await Promise.all([first, second])
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', claims: 2 })
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced'])
  })

  it('stops without an event when the file is thrown away meanwhile, and syncs after a restore', async () => {
    await using t = await setup()
    const file = await t.hotFile()
    {
      await using held = await holdAt('sync.before-network-commit')
      const syncing = t.sync(file)
      await waitFor(async () => (await t.read(file.id)).blobId, { what: 'the worker to be held' })
      await t.assign(file.id, 'deleted_at = now(), version = version + 1')
      await held.release()
      await syncing
    }
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', claimedUntil: null })
    expect(await t.events(file.id)).toEqual(['file.hot'])
    await t.assign(file.id, 'deleted_at = null, version = version + 1')
    await t.makeDue(file.id)
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
  })
})

describe('a sync that cannot succeed', () => {
  it.each([
    ['size_mismatch', 'size_bytes = 6'],
    ['checksum_mismatch', `checksum_declared = '${sha256('other')}'`],
  ])('ends in error at once as %s, bytes kept', async (code, assignment) => {
    await using t = await setup()
    const file = await t.hotFile('hello')
    await t.assign(file.id, assignment)
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({
      status: 'error',
      errorCode: code,
      syncDueAt: null,
      hotKey: file.hotKey,
    })
    expect(await t.hotTier.head(must(file.hotKey))).toBe(5)
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.error'])
    expect(await t.directory.list()).toEqual([])
  })

  it('accepts a declared checksum in capitals', async () => {
    await using t = await setup()
    const file = await t.hotFile('hello')
    await t.assign(file.id, `checksum_declared = '${sha256('hello').toUpperCase()}'`)
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
  })

  it('ends in error when the hot object is gone and nothing was copied', async () => {
    await using t = await setup()
    const file = await t.hotFile()
    await t.hotTier.remove(must(file.hotKey))
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'hot_copy_missing' })
  })

  it('goes on from the copy that an interrupted sync left when the hot object is gone', async () => {
    await using t = await setup()
    const file = await t.hotFile('hello')
    await t.sync(file)
    await t.assign(file.id, `status = 'hot', synced_at = null, sha256 = null, sync_due_at = now()`)
    await t.hotTier.remove(must(file.hotKey))
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', sha256: sha256('hello') })
    expect(await networkBytes(t, file.id)).toBe('hello')
  })

  it('is poison after twenty claims without an outcome', async () => {
    await using t = await setup()
    const [good, bad] = [await t.hotFile(), await t.hotFile()]
    await t.assign(good.id, 'poison = 19')
    await t.assign(bad.id, 'poison = 20')
    await t.sync(good)
    await t.sync(bad)
    expect(await t.read(good.id)).toMatchObject({ status: 'synced', poison: 0 })
    expect(await t.read(bad.id)).toMatchObject({ status: 'error', errorCode: 'poison', hotKey: bad.hotKey })
    expect(await t.events(bad.id)).toEqual(['file.hot', 'file.error'])
  })
})

describe('a sync that failed', () => {
  it('is due again after a growing delay, and in error when its attempts are spent', async () => {
    await using t = await setup()
    const file = await t.hotFile()
    for (const [attempt, delaySeconds] of [
      [1, 100],
      [2, 200],
    ] as const) {
      await failOnce(t, file.id)
      const failed = await t.read(file.id)
      expect(failed).toMatchObject({ status: 'hot', syncAttempt: attempt, claimedUntil: null, poison: 0 })
      const waits = (must(failed.syncDueAt).getTime() - failed.updatedAt.getTime()) / 1000
      expect(waits).toBeGreaterThanOrEqual(delaySeconds * 0.8)
      expect(waits).toBeLessThanOrEqual(delaySeconds * 1.2)
      await t.sync(file)
      expect((await t.read(file.id)).claims).toBe(attempt)
    }
    await failOnce(t, file.id)
    const given = await t.read(file.id)
    expect(given).toMatchObject({ status: 'error', errorCode: 'sync_failed', syncAttempt: 3, hotKey: file.hotKey })
    expect(await t.events(file.id)).toEqual(['file.hot', 'sync.failed', 'sync.failed', 'sync.failed', 'file.error'])
  })

  it('counts nothing while the network is down, and goes on when it is back', async () => {
    await using t = await setup()
    const file = await t.hotFile()
    await t.sync(await t.hotFile())
    await t.takeNetworkDown()
    await t.sync(file)
    expect(t.circuit.isClosed()).toBe(false)
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', syncAttempt: 0, poison: 0, claimedUntil: null })
    await t.bringNetworkUp()
    await waitFor(() => t.circuit.isClosed(), { what: 'the circuit to close' })
    await t.makeDue(file.id)
    await t.sync(file)
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced'])
  })

  it('counts nothing while the hot tier is down, but counts a copy that breaks off', async () => {
    await using bucket = new AsyncDisposableStack()
    const { settings } = bucket.use(await createBucket())
    const proxy = bucket.use(await startChaosProxy({ port: Number(new URL(settings.endpoint).port) }))
    await using t = await setup({ settings: { ...settings, endpoint: `http://127.0.0.1:${proxy.port}` } })
    const file = await t.hotFile('x'.repeat(4 * 1024 * 1024))
    proxy.cut()
    proxy.setWeather({ kind: 'reset' })
    await t.sync(file)
    expect(t.circuit.isClosed()).toBe(false)
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', syncAttempt: 0, claimedUntil: null })

    proxy.setWeather({ kind: 'delay', delayMs: 20 })
    await waitFor(() => t.circuit.isClosed(), { what: 'the circuit to close' })
    await t.makeDue(file.id)
    const syncing = t.sync(file)
    await waitFor(async () => (await t.directory.list()).length > 0, { what: 'bytes to arrive' })
    proxy.cut()
    await syncing
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', syncAttempt: 1 })
    expect(await t.directory.list()).toEqual([])
  })

  it('fails by itself when the network has no room for it, while smaller ones are copied', async () => {
    await using t = await setup()
    const stage: StorageNetwork['stage'] = async (body, options) => {
      if ((options.sizeBytes ?? 0) > 5) throw new NetworkError('no_space', 'No room')
      return await t.network.stage(body, options)
    }
    const limits = { syncAttemptsMax: 2, syncRetryBaseSeconds: 100, hotRetentionSeconds: 60 }
    const sync = t.worker(syncFile({ ...t, network: { ...t.network, stage }, ...limits }))
    const [large, small] = [await t.hotFile('large file'), await t.hotFile('small')]
    await sync(large)
    expect(await t.read(large.id)).toMatchObject({ status: 'hot', syncAttempt: 1, claimedUntil: null })
    expect(await reasons(t, large.id)).toEqual(['network_no_space'])
    expect(t.circuit.isClosed()).toBe(true)
    await sync(small)
    expect(await t.read(small.id)).toMatchObject({ status: 'synced' })
    await t.makeDue(large.id)
    await sync(large)
    expect(await t.read(large.id)).toMatchObject({ status: 'error', errorCode: 'sync_failed', hotKey: large.hotKey })
  })

  it('is handed back untried by a stop', async () => {
    await using t = await setup()
    const file = await t.hotFile()
    const stop = new AbortController()
    const limits = { syncAttemptsMax: 3, syncRetryBaseSeconds: 100, hotRetentionSeconds: 60 }
    const stopped = t.worker(syncFile({ ...t, ...limits }))
    {
      await using held = await holdAt('sync.before-network-commit')
      const syncing = stopped(file, stop.signal)
      await waitFor(async () => (await t.read(file.id)).blobId, { what: 'the worker to be held' })
      stop.abort()
      await held.release()
      await expect(syncing).rejects.toThrow()
    }
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', syncAttempt: 0, poison: 0, claimedUntil: null })
    expect(await t.directory.list()).toEqual([])
    await t.sync(file)
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced'])
  })
})

async function reasons(t: Bundle, fileId: string): Promise<string[]> {
  const failures = await t.database.sql<{ reason: string }>(
    `select payload ->> 'reason' as reason from event where subject_id = $1 and type = 'sync.failed' order by at`,
    [fileId],
  )
  return failures.map(({ reason }) => reason)
}

/** Takes the staged bytes away under a worker that is about to commit them. */
async function failOnce(t: Bundle, fileId: string): Promise<void> {
  await t.assign(fileId, 'blob_id = null')
  await t.makeDue(fileId)
  await using held = await holdAt('sync.before-network-commit')
  const syncing = t.sync({ id: fileId })
  await waitFor(async () => (await t.read(fileId)).blobId, { what: 'the worker to be held' })
  await rm(join(t.directory.path, 'staging'), { recursive: true })
  await held.release()
  await syncing
}
