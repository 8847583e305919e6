import { buffer } from 'node:stream/consumers'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { openBytes } from '../../src/copies/open-bytes.ts'
import { abortUpload } from '../../src/removal/purge.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { cleanUpUploads, expireUploads } from '../../src/upload/clean-up-uploads.ts'
import { log, must, never } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'
import { setupPurging } from '../purging.ts'
import type { WorkerBundle } from '../worker-bundle.ts'

const t = setUpOnce(setupPurging)

/** An upload of one PUT, which a client with the URL can repeat. */
async function begin(t: Pick<WorkerBundle, 'request' | 'hotTier'>) {
  const file = must(await t.request({ form: 'once', settledAfterSeconds: 5000 }))
  const { uploadKey: key, mimeType, sizeBytes, updatedAt: signedAt } = file
  const url = await t.hotTier.presignObject({ key, mimeType, sizeBytes, expiresSeconds: 900, signedAt })
  const headers = { 'content-type': mimeType, 'if-none-match': '*' }
  return { file, put: async (body: string) => (await fetch(url, { method: 'PUT', body, headers })).status }
}

/** Releases the claim of the file, and makes its clean-up due. */
const passTime = (t: Pick<WorkerBundle, 'assign'>, { id }: FileRow) =>
  t.assign(id, 'claimed_until = null, cleanup_after = now()')

describe('a repeated PUT', () => {
  it('after the eviction is invisible to readers while the file is evicting or cold, and is cleared in time', async () => {
    await using t = await setupEviction()
    const { file, put } = await begin(t)
    expect(await put('hello')).toBe(200)
    expect(await t.confirm(file)).toMatchObject({ outcome: 'confirmed' })
    await t.store(file)
    await t.prove(file)
    await t.evict(file)
    const read = async () =>
      (await buffer((await openBytes(t, await t.found(file.id), undefined, never)).bytes)).toString()
    expect(await read()).toBe('hello')
    // The state after a worker crashed behind the deletion.
    await t.hotTier.remove(file.uploadKey)
    expect(await put('HELLO')).toBe(200)
    expect((await t.read(file.id)).status).toBe('synced')
    expect(await read()).toBe('hello')

    await t.makeDueForEviction(file)
    await t.evict(file)
    expect((await t.read(file.id)).status).toBe('cold')
    expect(await put('HeLlO')).toBe(200)
    expect(await read()).toBe('hello')
    await cleanUpUploads({ ...t, log }, never)
    expect(await t.hotTier.head(file.uploadKey)).toBe(5)
    await passTime(t, file)
    await cleanUpUploads({ ...t, log }, never)
    expect(await t.hotTier.head(file.uploadKey)).toBeNull()
    expect(await read()).toBe('hello')
  })

  it('never changes the hot object, which clean-up keeps', async () => {
    const { file, put } = await begin(t)
    await put('hello')
    await t.confirm(file)
    await passTime(t, file)
    await cleanUpUploads({ ...t, log }, never)
    expect(await put('HELLO')).toBe(412)
    expect(await t.traces(file)).toEqual(['object'])
  })

  it.each(['abort', 'expiry'] as const)('after an %s leaves nothing after the purge', async (end) => {
    const { file, put } = await begin(t)
    await put('hello')
    if (end === 'abort') {
      const own = { accountId: file.accountId, fileId: file.id }
      must(await abortUpload(t.db, own, { settleSeconds: 3600, networks: t.networks }))
    } else {
      await t.assign(file.id, 'upload_expires_at = now()')
      await expireUploads({ ...t, log, settleSeconds: 3600 }, never)
    }
    await t.pass(file)
    expect(await t.traces(file)).toEqual([])
    expect(await put('HELLO')).toBe(200)
    expect(await t.confirm(file)).toEqual({ outcome: 'gone' })
    await t.settle(file)
    await t.pass(file)
    expect([await t.exists(file), await t.traces(file)]).toEqual([false, []])
    expect(await t.account()).toMatchObject({ open_uploads: '0', file_count: '0', storage_bytes: '0' })
  })
})

it('a confirm reports an object of another size, and waits for a missing object', async () => {
  const { file, put } = await begin(t)
  expect(await t.confirm(file)).toEqual({ outcome: 'incomplete' })
  await put('hello')
  await t.assign(file.id, 'size_bytes = 6')
  expect(await t.confirm({ ...file, sizeBytes: 6 })).toEqual({ outcome: 'mismatch' })
})
