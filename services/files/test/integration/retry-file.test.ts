import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { giveUpStoring, makeSynced } from '../later-states.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

const client = () => clientOf(t)
const row = async (id: string) => (await t.database.sql('select * from file where id = $1', [id]))[0]

/** That long ago. */
const wasGivenUp = (id: string, secondsAgo: number) =>
  t.database.sql('update file set errored_at = now() - make_interval(secs => $2) where id = $1', [id, secondsAgo])

/** A synced file in error: only one without bytes becomes it by itself, so that one with bytes is made by hand. */
async function failSynced(id: string, secondsAgo: number) {
  await t.database.sql(
    `update file set status = 'error', error_code = 'content_lost', error = 'It failed', evict_due_at = null,
       version = version + 1 where id = $1`,
    [id],
  )
  await wasGivenUp(id, secondsAgo)
}

describe('POST /api/files/:fileId/retry', () => {
  it('makes the file hot and its sync due, once for however many ask at once, and tells no file.hot again', async () => {
    const owner = client()
    const file = await owner.hotFile('hello')
    await giveUpStoring(t, file.id)
    const path = `/api/files/${file.id}/retry`
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.call('POST', path)))
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    for (const { body } of done) {
      expect(body).toMatchObject({ status: 'hot', error: null, errorCode: null, syncAttempts: 0, inHotCache: true })
    }
    const copies = await t.database.sql('select state, due_at from copy where file_id = $1', [file.id])
    expect(copies).toEqual([{ state: 'planned', due_at: expect.any(Date) }])
    const { timeline } = (await owner.call('GET', `/api/files/${file.id}/timeline`)).body
    const changes = timeline.filter((entry: { status: string | null }) => entry.status !== null)
    expect(changes.map(({ type, status }: Record<string, string>) => [type, status])).toEqual([
      ['upload.requested', 'uploading'],
      ['file.hot', 'hot'],
      ['file.error', 'error'],
      ['retry.accepted', 'hot'],
    ])
    expect((await owner.call('GET', '/api/account')).body.usage).toMatchObject({ hotBytes: 5 })
    expect(await owner.call('POST', path)).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  })

  it.each(['checksum_mismatch', 'size_mismatch'] as const)(
    'is refused after %s, which no retry can mend',
    async (code) => {
      const owner = client()
      const file = await owner.hotFile('hello')
      await giveUpStoring(t, file.id, code)
      expect((await owner.call('POST', `/api/files/${file.id}/retry`)).status).toBe(409)
      expect((await row(file.id))?.status).toBe('error')
    },
  )

  it('is refused when the hot object is gone or the row has none', async () => {
    const owner = client()
    const [gone, none] = [await owner.hotFile('hello'), await owner.hotFile('hello')]
    await t.hotTier.remove(String((await row(gone.id))?.hot_key))
    await giveUpStoring(t, gone.id)
    await giveUpStoring(t, none.id)
    await t.database.sql('update file set hot_key = null where id = $1', [none.id])
    for (const { id } of [gone, none]) {
      expect((await owner.call('POST', `/api/files/${id}/retry`)).status).toBe(409)
      expect((await row(id))?.status).toBe('error')
    }
  })

  it('waits for a claim, and after a failed eviction until no deletion can be under way', async () => {
    const owner = client()
    const [claimed, evicted] = [await owner.hotFile('hello'), await owner.hotFile('hello')]
    await giveUpStoring(t, claimed.id)
    await t.database.sql(`update file set claimed_until = now() + interval '60 s' where id = $1`, [claimed.id])
    const blobId = await makeSynced(t, evicted.id)
    const settled = t.config.settleSeconds + 60
    await failSynced(evicted.id, settled - 30)
    for (const { id } of [claimed, evicted]) {
      const refused = await owner.call('POST', `/api/files/${id}/retry`)
      expect(refused.status).toBe(409)
      const waitSeconds = Number(refused.headers.get('retry-after'))
      expect(waitSeconds).toBeGreaterThan(0)
      expect(waitSeconds).toBeLessThanOrEqual(60)
    }
    await wasGivenUp(evicted.id, settled + 1)
    const retried = await owner.call('POST', `/api/files/${evicted.id}/retry`)
    expect(retried.body).toMatchObject({ status: 'synced', storageNetworkBlobId: blobId, error: null })
    const { source } = (await owner.call('GET', `/api/files/${evicted.id}/download`)).body
    expect(source).toBe('hot')
  })

  it('is a conflict in any other state and a 404 for strangers', async () => {
    const owner = client()
    const file = await owner.hotFile('hello')
    expect((await owner.call('POST', `/api/files/${file.id}/retry`)).status).toBe(409)
    expect((await client().call('POST', `/api/files/${file.id}/retry`)).status).toBe(404)
  })
})
