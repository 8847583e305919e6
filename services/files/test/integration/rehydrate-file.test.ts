import { isDeepStrictEqual } from 'node:util'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { makeCold, makeRehydrated, makeSynced } from '../later-states.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

const row = async (id: string) => (await t.database.sql('select * from file where id = $1', [id]))[0]

describe('POST /api/files/:fileId/rehydrate', () => {
  it('makes a cold file’s return due and changes no status, however often it is asked', async () => {
    await using nats = await startNats()
    await using online = await setup({ env: { NATS_URL: nats.url } })
    await online.nats.connected(AbortSignal.timeout(60_000))
    const owner = clientOf(online)
    const file = await owner.hotFile('hello')
    await makeCold(online, file.id)
    const path = `/api/files/${file.id}/rehydrate`
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.call('POST', path)))
    for (const { status, body } of answers) {
      expect([status, body.status, body.rehydrating, body.inHotCache]).toEqual([200, 'cold', true, false])
    }
    const events = await online.database.sql(
      `select type from event where subject_id = $1 and type like 'rehydrate%'`,
      [file.id],
    )
    expect(events).toEqual([{ type: 'rehydrate.requested' }])
    const manager = await online.nats.jetstream().jetstreamManager()
    const offered = async () => {
      const { state } = await manager.streams.info('JOBS', { subjects_filter: 'jobs.rehydrate.>' })
      return state.subjects
    }
    await waitFor(async () => isDeepStrictEqual(await offered(), { [`jobs.rehydrate.v1.${file.id}`]: 1 }))
  })

  it('does nothing to a file in any other state', async () => {
    const owner = clientOf(t)
    const [hot, synced] = [await owner.hotFile('hello'), await owner.hotFile('hello')]
    await makeSynced(t, synced.id)
    for (const { id } of [hot, synced]) {
      const before = await row(id)
      expect(await owner.call('POST', `/api/files/${id}/rehydrate`)).toMatchObject({
        status: 200,
        body: { rehydrating: false },
      })
      expect(await row(id)).toEqual(before)
    }
    expect((await clientOf(t).call('POST', `/api/files/${hot.id}/rehydrate`)).status).toBe(404)
  })

  it('remembers a wish that comes while the bytes are being dropped, and leaves the dropping alone', async () => {
    const owner = clientOf(t)
    const file = await owner.hotFile('hello')
    await makeCold(t, file.id)
    await makeRehydrated(t, file.id)
    expect((await owner.call('POST', `/api/files/${file.id}/rehydrate`)).body.rehydrating).toBe(false)
    await t.database.sql(`update file set evicting_at = now(), claimed_until = now() + interval '60 s' where id = $1`, [
      file.id,
    ])
    const before = await row(file.id)
    expect((await owner.call('POST', `/api/files/${file.id}/rehydrate`)).body.rehydrating).toBe(true)
    const { claimed_until, evict_due_at, evicting_at } = before ?? {}
    expect(await row(file.id)).toMatchObject({ claimed_until, evict_due_at, evicting_at })
  })
})

describe('a rehydrated file', () => {
  it('stays cold and is read from the hot tier until eviction begins', async () => {
    const owner = clientOf(t)
    const file = await owner.hotFile('hello')
    await makeCold(t, file.id)
    const download = async () => (await owner.call('GET', `/api/files/${file.id}/download`)).body
    expect((await download()).source).toBe('network')
    await makeRehydrated(t, file.id)
    expect((await owner.call('GET', `/api/files/${file.id}`)).body).toMatchObject({
      status: 'cold',
      inHotCache: true,
      rehydrating: false,
      hotUntil: expect.any(String),
    })
    const hot = await download()
    expect(hot.source).toBe('hot')
    expect(await (await fetch(hot.downloadUrl)).text()).toBe('hello')
    await t.database.sql('update file set evicting_at = now() where id = $1', [file.id])
    expect((await download()).source).toBe('network')
  })
})
