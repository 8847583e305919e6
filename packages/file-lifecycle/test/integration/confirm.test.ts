import { request as forward } from 'node:http'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket } from '@tideport/testing/s3'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { must, setup } from '../bundle.ts'

async function open() {
  const stack = new AsyncDisposableStack()
  const bucket = stack.use(await createBucket())
  const store = stack.use(await startFrontOfStore(bucket.settings))
  const t = stack.use(await setup(store))
  const { hostname, port } = new URL(bucket.settings.endpoint)
  let completions = 0
  return {
    ...t,
    store,
    /** Completions since the last change of `before` or `after`. */
    completions: () => completions,
    /** `before`: the store does not receive the next completion. `after`: its response is lost. */
    breakNext(...breaks: ('before' | 'after')[]) {
      completions = 0
      store.answerBy((request) => {
        const { method, url: path = '', headers } = request
        if (method !== 'POST' || !path.includes('uploadId=')) return false
        completions += 1
        const now = breaks.shift()
        if (now === 'before') request.socket.resetAndDestroy()
        if (now === 'after') {
          const onward = forward({ hostname, port, method, path, headers }, (answered) => {
            answered.resume().on('end', () => request.socket.resetAndDestroy())
          })
          request.pipe(onward)
        }
        return now !== undefined
      })
    },
    bytesOf: async (key: string) =>
      (await must(await t.hotTier.open(key, undefined, AbortSignal.timeout(5_000))).toArray()).join(''),
    async startOver() {
      store.pass()
      await t.startOver()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const t = setUpOnce(open)

describe('completeUpload', () => {
  it('keeps the confirmed bytes after later completions under the same key', async () => {
    const { uploadKey: key, mimeType, updatedAt: signedAt } = await t.hotFile('hello')
    const uploadId = await t.hotTier.beginUpload(key, mimeType)
    const part = { key, uploadId, partNumber: 1, mimeType, sizeBytes: 5, expiresSeconds: 900, signedAt }
    expect((await t.put(await t.hotTier.presignPart(part), 'HELLO')).status).toBe(200)
    const parts = must(await t.hotTier.listParts(key, uploadId))
    await t.hotTier.complete(key, uploadId, parts, AbortSignal.timeout(5_000))
    expect(await t.bytesOf(key)).toBe('hello')
  })

  it('reports a lost upload only when neither object nor upload exists after the longest completion time', async () => {
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

  it('reopens an upload whose path was taken after its confirming process crashed, so it can expire', async () => {
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

  it('confirms an upload whose completion Postgres has lost in a crash', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    const parts = must(await t.hotTier.listParts(file.uploadKey, must(file.uploadId)))
    await t.hotTier.complete(file.uploadKey, must(file.uploadId), parts, AbortSignal.timeout(5_000))
    expect(await t.confirm(file)).toMatchObject({ outcome: 'confirmed', didTransition: true })
    expect(await t.bytesOf(file.uploadKey)).toBe('hello')
    expect(await t.events(file.id)).toEqual(['file.hot'])
  })

  it('does not make a file hot in a trashed vault', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    await t.database.sql('update vault set deleted_at = now() where id = $1', [t.vaultId])
    expect(await t.confirm(file)).toEqual({ outcome: 'gone' })
  })
})

describe('when the connection to the store breaks', () => {
  /** So long that a test that waits for it fails. */
  const waitMs = 600_000

  it('repeats a completion that the store never received, until the store responds', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.breakNext('before', 'before', 'before')
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed', didTransition: true })
    expect(t.completions()).toBe(4)
    expect(await t.events(file.id)).toEqual(['file.hot'])
  })

  it('does not repeat a completion whose response was lost', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.breakNext('after')
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed', didTransition: true })
    expect(t.completions()).toBe(1)
  })

  it('leaves a part that was replaced during the confirm to the next confirm', async () => {
    const { file, url } = await t.begin(5)
    await t.put(url, 'hello')
    t.breakNext(...Array(1000).fill('before'))
    const first = t.confirm(file, { waitMs: 2_000 })
    await waitFor(() => t.completions() > 0, { what: 'the completion that breaks' })
    await t.put(url, 'HELLO')
    t.store.pass()
    expect(await first).toEqual({ outcome: 'in_progress' })
    expect(await t.confirm(file, { waitMs })).toMatchObject({ outcome: 'confirmed' })
    expect(await t.bytesOf(file.uploadKey)).toBe('HELLO')
  })
})
