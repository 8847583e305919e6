import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket } from '@tideport/testing/s3'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { openBytes } from '../../src/copies/open-bytes.ts'
import { storeCopy } from '../../src/copies/store-copy.ts'
import { must } from '../bundle.ts'
import { holdAt } from '../hold-at.ts'
import { type StoringBundle, setupStoring } from '../storing.ts'

async function setup() {
  const stack = new AsyncDisposableStack()
  const front = stack.use(await startFrontOfStore(stack.use(await createBucket()).settings))
  const t = stack.use(await setupStoring({ settings: front.settings }))
  return {
    ...t,
    front,
    async startOver() {
      front.pass()
      await t.startOver()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const t = setUpOnce(setup)

/** The failed attempts in the timeline, and the delay after each. */
async function failures({ id }: { id: string }, { database }: Pick<StoringBundle, 'database'> = t) {
  return await database.sql<{ reason: string; delay: number }>(
    `select payload ->> 'reason' as reason, extract(epoch from copy.due_at - at)::float8 as delay
     from event join copy on copy.file_id = subject_id where subject_id = $1 and type = 'store.failed' order by at`,
    [id],
  )
}

/** Deletes the staged bytes just before a worker commits them. */
async function failOnce(file: { id: string }): Promise<void> {
  await t.assignCopies(file.id, 'blob_id = null')
  await t.makeDue(file.id)
  await using held = await holdAt('store.before-commit')
  const storing = t.store(file)
  await waitFor(async () => (await t.copy(file)).blobId, { what: 'the worker to be held' })
  await rm(join(t.directory.path, 'staging'), { recursive: true })
  await held.release()
  await storing
}

describe('a failed store', () => {
  it('is retried after growing delays, and puts the file in error when its attempts are spent', async () => {
    const file = await t.hotFile()
    for (const [attempt, delaySeconds] of [
      [1, 100],
      [2, 200],
    ] as const) {
      await failOnce(file)
      const failed = await t.copy(file)
      expect(failed).toMatchObject({ state: 'planned', attempt, claimedUntil: null, unfinishedClaims: 0 })
      // One entry for each attempt. Only the copy's row has the failure.
      expect((await t.read(file.id)).version).toBe(file.version + attempt)
      const last = must((await failures(file)).at(-1))
      expect(last.delay).toBeGreaterThanOrEqual(delaySeconds * 0.8)
      expect(last.delay).toBeLessThanOrEqual(delaySeconds * 1.2)
      await t.store(file)
      expect(await t.copy(file)).toMatchObject({ fencingToken: failed.fencingToken })
    }
    await failOnce(file)
    expect(await t.copy(file)).toMatchObject({ state: 'failed', dueAt: null, claimedUntil: null })
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'sync_failed', hotKey: file.hotKey })
    const failed = ['store.failed', 'store.failed', 'store.failed', 'copy.failed']
    expect(await t.events(file.id)).toEqual(['file.hot', ...failed, 'file.error'])
  })

  it('counts no attempt while the hot tier is down, but counts a read that breaks off', async () => {
    await using bucket = new AsyncDisposableStack()
    const { settings } = bucket.use(await createBucket())
    const proxy = bucket.use(await startChaosProxy({ port: Number(new URL(settings.endpoint).port) }))
    await using t = await setupStoring({ settings: { ...settings, endpoint: `http://127.0.0.1:${proxy.port}` } })
    const file = await t.hotFile('x'.repeat(4 * 1024 * 1024))
    proxy.cut()
    proxy.setWeather({ kind: 'reset' })
    await t.store(file)
    expect(t.circuit.isClosed()).toBe(false)
    expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 0, claimedUntil: null })

    proxy.setWeather({ kind: 'delay', delayMs: 20 })
    await waitFor(() => t.circuit.isClosed(), { what: 'the circuit to close' })
    await t.makeDue(file.id)
    const storing = t.store(file)
    await waitFor(async () => (await t.directory.list()).length > 0, { what: 'bytes to arrive' })
    proxy.cut()
    await storing
    expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 1 })
    expect((await failures(file, t)).map(({ reason }) => reason)).toEqual(['hot_tier'])
    expect(await t.directory.list()).toEqual([])
  })

  it.each([
    ['a proxy returns 404 instead', 404, '<html><body><h1>404 Not Found</h1><hr>nginx</body></html>'],
    ['a proxy returns 200 instead', 200, '<html><body><h1>We will be back soon</h1></body></html>'],
    ['it denies access', 403, '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'],
  ])('counts no attempt, and no absence of the hot object, while %s', async (_name, status, body) => {
    const file = await t.hotFile()
    t.front.answerBy((_, response) => Boolean(response.writeHead(status).end(body)))
    await t.store(file)
    expect(t.circuit.isClosed()).toBe(false)
    expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 0, claimedUntil: null })
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', errorCode: null })
    const reading = openBytes(
      t.storeDeps,
      { file: await t.read(file.id), copies: [await t.copy(file)] },
      undefined,
      AbortSignal.timeout(30_000),
    )
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' })

    t.front.pass()
    await waitFor(() => t.circuit.isClosed(), { what: 'the circuit to close' })
    await t.makeDue(file.id)
    await t.store(file)
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.copied', 'file.synced'])
  })

  it('counts an attempt when the hot tier returns wrong bytes once, and puts the file in error when it returns them twice', async () => {
    const [once, twice] = [await t.hotFile('hello'), await t.hotFile('hello')]
    for (const { id } of [once, twice]) await t.assign(id, `checksum_declared = '${hash('sha256', 'hello')}'`)
    let lies = 1
    t.front.answerBy(({ method, url = '' }, response) => {
      const isLie = method === 'GET' && url.includes('/hot/') && lies-- > 0
      if (isLie) response.writeHead(200, { 'content-length': 5 }).end('other')
      return isLie
    })
    await t.store(once)
    expect(await t.copy(once)).toMatchObject({ state: 'planned', attempt: 1, claimedUntil: null })
    await t.makeDue(once.id)
    await t.store(once)
    expect(await t.read(once.id)).toMatchObject({ status: 'synced', errorCode: null })

    lies = 2
    await t.store(twice)
    expect(await t.read(twice.id)).toMatchObject({ status: 'error', errorCode: 'checksum_mismatch' })
  })

  describe('of a file without a declared checksum', () => {
    /** Returns other bytes of the same size for this many reads of hot objects. `head` changes the response to HEAD. */
    function lie(times: number, head?: (url: string) => Record<string, string> | undefined) {
      let reads = 0
      t.front.answerBy(({ method, url = '' }, response) => {
        const headers = method === 'HEAD' ? head?.(url) : undefined
        if (headers) response.writeHead(200, { 'content-length': 5, ...headers }).end()
        if (method !== 'GET' || !url.includes('/hot/')) return headers !== undefined
        reads += 1
        if (reads <= times)
          response.writeHead(200, { 'content-length': 5, etag: `"${hash('md5', 'other')}"` }).end('other')
        return reads <= times
      })
      return () => reads
    }
    const stored = async ({ id }: { id: string }) => (await t.read(id)).sha256

    it('reads once if the ETag matches the MD5, and twice if it does not', async () => {
      const honest = await t.hotFile('hello')
      const reads = lie(0)
      await t.store(honest)
      expect([reads(), await stored(honest)]).toEqual([1, hash('sha256', 'hello')])

      const file = await t.hotFile('hello')
      lie(1)
      await t.store(file)
      expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 1, claimedUntil: null })
      expect([await stored(file), (await failures(file)).map(({ reason }) => reason)]).toEqual([null, ['hot_tier']])
      await t.makeDue(file.id)
      await t.store(file)
      expect(await stored(file)).toBe(hash('sha256', 'hello'))
    })

    it('rejects bytes that differ each time from an MD5 ETag', async () => {
      const file = await t.hotFile('hello')
      const reads = lie(Number.POSITIVE_INFINITY)
      await t.store(file)
      expect([reads(), await stored(file)]).toEqual([2, null])
      expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 1 })
      lie(0)
      await t.makeDue(file.id)
      await t.store(file)
      expect(await stored(file)).toBe(hash('sha256', 'hello'))
    })

    it('accepts them at the last attempt, because the ETag may be older than the settings of the store', async () => {
      const file = await t.hotFile('hello')
      const reads = lie(0, (url) => (url.includes('/hot/') ? { etag: `"${hash('md5', 'salt')}-1"` } : undefined))
      for (const _ of [1, 2]) {
        await t.store(file)
        expect(await stored(file)).toBeNull()
        await t.makeDue(file.id)
      }
      await t.store(file)
      expect([reads(), await stored(file)]).toEqual([6, hash('sha256', 'hello')])
    })

    it('uses the ETag in the bucket’s list when HEAD returns a page of a proxy', async () => {
      const file = await t.hotFile('hello')
      lie(Number.POSITIVE_INFINITY, () => ({ etag: '"5f3c-5"' }))
      await t.store(file)
      expect(await stored(file)).toBeNull()
    })

    it('accepts bytes that were read twice from a store without MD5 ETags', async () => {
      const file = await t.hotFile('hello')
      const reads = lie(0, () => ({ etag: `"${hash('md5', 'salt')}-1"` }))
      await t.store(file)
      expect([reads(), await stored(file)]).toEqual([2, hash('sha256', 'hello')])
    })

    it('prefers the checksum of the store to its ETag', async () => {
      const checksum = (bytes: string) => ({ 'x-amz-checksum-sha256': hash('sha256', bytes, 'base64'), etag: '"e"' })
      const [right, wrong] = [await t.hotFile('hello'), await t.hotFile('hello')]
      const reads = lie(0, (url) => checksum(url.includes(right.id) ? 'hello' : 'other'))
      await t.store(right)
      expect([reads(), await stored(right)]).toEqual([1, hash('sha256', 'hello')])
      await t.store(wrong)
      expect(await stored(wrong)).toBeNull()
      expect(await t.copy(wrong)).toMatchObject({ state: 'planned', attempt: 1 })
    })
  })

  it('counts an attempt and releases the claim when the hot tier never finishes an error response', async () => {
    const file = await t.hotFile()
    t.front.answerBy(({ method, url = '' }, response) => {
      const isRead = method === 'GET' && url.includes(file.id)
      if (isRead) response.writeHead(503, { 'content-length': 100 }).flushHeaders()
      return isRead
    })
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 1, claimedUntil: null, unfinishedClaims: 0 })
    expect((await failures(file)).map(({ reason }) => reason)).toEqual(['hot_tier'])
  })

  it('fails alone when the network has no space for it, while smaller files are stored', async () => {
    const stage: StorageNetwork['stage'] = async (body, options) => {
      if ((options.sizeBytes ?? 0) > 5) throw new NetworkError('no_space', 'No room')
      return await t.network.stage(body, options)
    }
    const bodies: Readable[] = []
    const open: HotTier['open'] = async (...asked) => {
      const body = await t.hotTier.open(...asked)
      if (body !== null) bodies.push(body)
      return body
    }
    const deps = { ...t.storeDeps, hotTier: { ...t.hotTier, open }, syncAttemptsMax: 2 }
    const store = t.copyWorker(storeCopy(deps, { ...t.network, stage }))
    const [large, small] = [await t.hotFile('large file'), await t.hotFile('small')]
    await store(large)
    expect(await t.copy(large)).toMatchObject({ state: 'planned', attempt: 1, claimedUntil: null })
    expect((await failures(large)).map(({ reason }) => reason)).toEqual(['network_no_space'])
    // Unread bytes occupy a connection, and would fail later without a listener.
    expect(bodies.map(({ destroyed }) => destroyed)).toEqual([true])
    expect(t.circuit.isClosed()).toBe(true)
    await store(small)
    expect(await t.read(small.id)).toMatchObject({ status: 'synced' })
    await t.makeDue(large.id)
    await store(large)
    expect(await t.read(large.id)).toMatchObject({ status: 'error', errorCode: 'sync_failed', hotKey: large.hotKey })
  })
})
