import { CompleteMultipartUploadCommand } from '@aws-sdk/client-s3'
import { createBucket } from '@tideport/testing/s3'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { startBreakingStore } from '../breaking-store.ts'
import { must, setup } from '../bundle.ts'

async function open() {
  const stack = new AsyncDisposableStack()
  const bucket = stack.use(await createBucket())
  const store = stack.use(await startBreakingStore(bucket.settings))
  const t = stack.use(await setup(store))
  return {
    ...t,
    ...{ bucket, store },
    async startOver() {
      store.mend()
      await t.startOver()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const t = setUpOnce(open)

describe('completeUpload', () => {
  it('makes a file hot once the object is there, with one event and a copy planned on every network', async () => {
    const file = await t.hotFile('hello')
    expect(file).toMatchObject({ status: 'hot', completingAt: null })
    const planned = await t.database.sql('select network, state, reference from copy where file_id = $1', [file.id])
    expect(planned).toEqual([{ network: 'embedded', state: 'planned', reference: `${file.id}_1` }])
    expect(await t.events(file.id)).toEqual(['file.hot'])
    expect(await t.account()).toMatchObject({ hot_bytes: '5', open_uploads: '0' })
  })

  it('gives one event and one counted file for 50 confirms at once', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => t.confirm(file)))
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(50).fill('confirmed'))
    expect(
      outcomes.filter((completion) => completion.outcome === 'confirmed' && completion.didTransition),
    ).toHaveLength(1)
    expect(await t.events(file.id)).toEqual(['file.hot'])
    expect(await t.account()).toMatchObject({ hot_bytes: '5', open_uploads: '0' })
  })

  it('says incomplete while nothing was PUT, and leaves the upload open', async () => {
    const { file, url } = await t.begin(5)
    expect(await t.confirm(file)).toEqual({ outcome: 'incomplete' })
    await t.put(url, 'hello')
    expect(await t.confirm(file)).toMatchObject({ outcome: 'confirmed' })
  })

  it('confirms an empty file', async () => {
    expect(await t.hotFile('')).toMatchObject({ status: 'hot', sizeBytes: 0 })
  })

  it('goes on after a crash between completion and commit', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    const parts = must(await t.hotTier.listParts(file.uploadKey, must(file.uploadId)))
    await t.hotTier.complete(file.uploadKey, must(file.uploadId), parts, AbortSignal.timeout(5_000))
    expect(await t.confirm(file)).toMatchObject({ outcome: 'confirmed' })
    expect(await t.events(file.id)).toEqual(['file.hot'])
  })

  it('keeps the bytes when the upload is completed again with others', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    const late = t.put(url, 'HELLO')
    await t.confirm(file)
    await late
    const parts = await t.hotTier.listParts(file.uploadKey, must(file.uploadId))
    if (parts) await t.hotTier.complete(file.uploadKey, must(file.uploadId), parts, AbortSignal.timeout(5_000))
    const stored = must(await t.hotTier.open(file.uploadKey, undefined, AbortSignal.timeout(5_000)))
    const before = (await stored.toArray()).join('')
    const replayed = await t.put(url, 'HeLlO')
    expect([404, 200]).toContain(replayed.status)
    const again = must(await t.hotTier.open(file.uploadKey, undefined, AbortSignal.timeout(5_000)))
    expect((await again.toArray()).join('')).toBe(before)
  })

  it('is lost only when neither object nor upload is there after the time a completion may take', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    await t.database.sql('update file set completing_at = now() where id = $1', [file.id])
    await t.hotTier.abortUploads(file.uploadKey)
    const completing = { ...file, completingAt: new Date() }
    expect(await t.confirm(completing, { waitMs: 100 })).toEqual({ outcome: 'in_progress' })
    await t.database.sql(`update file set completing_at = now() - interval '2 seconds' where id = $1`, [file.id])
    expect(await t.confirm(completing, { waitMs: 100, lostSeconds: 1 })).toEqual({ outcome: 'lost' })
    expect(await t.events(file.id)).toEqual([])
  })

  it('opens an upload again whose path was taken after the process that confirmed it had died, so that it can end', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    await t.database.sql(`update file set on_conflict = 'fail', completing_at = now() where id = $1`, [file.id])
    const other = await t.hotFile('other')
    await t.database.sql('update file set folder = $2, name = $3 where id = $1', [other.id, file.folder, file.name])
    const completing = { ...file, onConflict: 'fail' as const, completingAt: new Date() }
    expect(await t.confirm(completing)).toEqual({ outcome: 'path_taken', occupantId: other.id })
    const [row] = await t.database.sql('select status, completing_at from file where id = $1', [file.id])
    expect(row).toEqual({ status: 'uploading', completing_at: null })
  })

  it('does not make a file hot in a vault that is in trash', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    await t.database.sql('update vault set deleted_at = now() where id = $1', [t.vaultId])
    expect(await t.confirm(file)).toEqual({ outcome: 'gone' })
  })
})

describe('while the connection to the store breaks', () => {
  /** So long that a test which waits for it has failed. */
  const waitMs = 600_000

  it('completes anew what the store never heard of, until it answers', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.store.breakNext('before', 'before', 'before')
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed', didTransition: true })
    expect(t.store.completions()).toBe(4)
    expect(await t.events(file.id)).toEqual(['file.hot'])
  })

  it('does not complete anew what the store did without being heard', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.store.breakNext('after')
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed', didTransition: true })
    expect(t.store.completions()).toBe(1)
  })

  it('leaves a part that was replaced meanwhile to the next confirm', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.store.breakNext(...Array(1000).fill('before'))
    const first = t.confirm(file, { waitMs: 2_000 })
    await waitFor(() => t.store.completions() > 0, { what: 'the completion that breaks' })
    await t.put(url, 'HELLO')
    t.store.mend()
    expect(await first).toEqual({ outcome: 'in_progress' })
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed' })
    const stored = must(await t.hotTier.open(file.uploadKey, undefined, AbortSignal.timeout(5_000)))
    expect((await stored.toArray()).join('')).toBe('HELLO')
  })

  it('gives up when its time is over, and is not lost: the next confirm completes it', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.store.breakNext(...Array(1000).fill('before'))
    expect(await t.confirm(file, { waitMs: 300 })).toEqual({ outcome: 'in_progress' })
    t.store.mend()
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed' })
  })
})

describe('the presigned upload URL', () => {
  it.each([
    ['another length', 'hell', 'image/png'],
    ['a longer body', 'hello!', 'image/png'],
    ['another type', 'hello', 'text/html'],
  ])('refuses %s', async (_what, body, type) => {
    const { file, url } = await t.begin(5)
    expect((await t.put(url, body, type)).status).toBe(403)
    expect(await t.confirm(file)).toEqual({ outcome: 'incomplete' })
  })

  it('refuses a tampered URL', async () => {
    const { url } = await t.begin(5)
    expect((await t.put(url.replace('partNumber=1', 'partNumber=2'), 'hello')).status).toBe(403)
  })
})

it('the store itself refuses to complete over an object that exists', async () => {
  const file = await t.hotFile('hello')
  const uploadId = await t.hotTier.beginUpload(file.uploadKey, 'image/png')
  const again = t.bucket.client.send(
    new CompleteMultipartUploadCommand({
      Bucket: t.bucket.bucket,
      Key: file.uploadKey,
      UploadId: uploadId,
      MultipartUpload: { Parts: [] },
      IfNoneMatch: '*',
    }),
  )
  await expect(again).rejects.toThrow()
})
