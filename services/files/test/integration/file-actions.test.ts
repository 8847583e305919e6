import { isDeepStrictEqual } from 'node:util'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { type Client, clientOf, encryption } from '../client.ts'
import { giveUpStoring, makeCold, makeRehydrated, makeSynced } from '../later-states.ts'
import { expectCounted } from '../owner-of-many.ts'

const t = sharedBundle()

const row = async (id: string) => (await t.database.sql('select * from file where id = $1', [id]))[0]

const patch = (client: Client, id: string, json: Record<string, unknown>) =>
  client.call('PATCH', `/api/files/${id}`, { json })
const usage = async (client: Client, vaultId: string) => {
  const { fileCount, storageBytes } = (await client.call('GET', `/api/vaults/${vaultId}`)).body
  return { fileCount, storageBytes }
}

describe('PATCH /api/files/:fileId', () => {
  it('renames without changing the fields of workers, and rejects invalid names', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const before = await row(file.id)
    const renamed = await patch(client, file.id, { name: 'Ünïcode 📦.txt' })
    expect(renamed).toMatchObject({ status: 200, body: { id: file.id, name: 'Ünïcode 📦.txt', vaultId: file.vaultId } })
    expect((await row(file.id))?.version).toBe(before?.version)
    for (const name of ['', 'a/b', 'a\\b', 'a\u0000b', 'x'.repeat(256)]) {
      expect((await patch(client, file.id, { name })).status).toBe(400)
    }
    expect((await patch(client, file.id, {})).body.name).toBe('Ünïcode 📦.txt')
  })

  it('moves a file and its counters to another vault of the same visibility', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const { id: target } = await client.createVault('Holidays', 'public')
    const moved = await patch(client, file.id, { vaultId: target, name: 'moved.png' })
    expect(moved.body).toMatchObject({ vaultId: target, name: 'moved.png' })
    expect(await usage(client, file.vaultId)).toEqual({ fileCount: 0, storageBytes: 0 })
    expect(await usage(client, target)).toEqual({ fileCount: 1, storageBytes: 5 })
    expect((await client.call('GET', '/api/account')).body.usage).toMatchObject({ fileCount: 1, storageBytes: 5 })
    expect((await client.call('GET', `/api/files?vaultId=${target}`)).body.files).toHaveLength(1)
  })

  it('never moves a file between public and private vaults, or to a missing or trashed vault', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const { id: secrets } = await client.createVault('Secrets', 'private')
    const { id: trashed } = await client.createVault('Old', 'public')
    await client.call('DELETE', `/api/vaults/${trashed}`)
    const foreign = await clientOf(t).defaultVault()
    expect(await patch(client, file.id, { vaultId: secrets })).toMatchObject({
      status: 409,
      body: { code: 'visibility_mismatch' },
    })
    for (const vaultId of [foreign, trashed, 'nonsense']) {
      expect((await patch(client, file.id, { vaultId })).status).toBe(404)
    }
    expect((await client.call('GET', `/api/files/${file.id}`)).body.vaultId).toBe(file.vaultId)
  })

  it('replaces only the wrapped key of a private file', async () => {
    const client = clientOf(t)
    const { id: vaultId } = await client.createVault('Secrets', 'private')
    const secret = await client.hotFile('enc', { vaultId, ...encryption })
    const open = await client.hotFile('hello')
    const rewrapped = await patch(client, secret.id, { wrappedKey: 'bmV3IGtleQ==' })
    expect(rewrapped.body).toMatchObject({ ...encryption, wrappedKey: 'bmV3IGtleQ==' })
    expect(await patch(client, open.id, { wrappedKey: 'bmV3IGtleQ==' })).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: 'wrappedKey' }] } },
    })
    for (const wrappedKey of [null, '', 'x'.repeat(4097), 'ü'])
      expect((await patch(client, secret.id, { wrappedKey })).status).toBe(400)
  })

  it('keeps the counters correct when files move while their vaults are trashed', async () => {
    const client = clientOf(t)
    const { id: there } = await client.createVault('There', 'public')
    const { id: back } = await client.createVault('Back', 'public')
    const files = await Promise.all(Array.from({ length: 6 }, () => client.hotFile('hello', { vaultId: back })))
    for (let round = 0; round < 6; round += 1) {
      const moves = files.map((file, index) => patch(client, file.id, { vaultId: (round + index) % 2 ? there : back }))
      const toggle = round % 2 ? client.call('POST', `/api/vaults/${there}/restore`) : client.call('DELETE', `/api/vaults/${there}?force=true`) // biome-ignore format: one choice
      for (const { status } of await Promise.all([...moves, toggle])) expect([200, 404, 409]).toContain(status)
    }
    await expectCounted(t, client)
  })
})

const client = () => clientOf(t)
const wasGivenUp = (id: string, secondsAgo: number) =>
  t.database.sql('update file set errored_at = now() - make_interval(secs => $2) where id = $1', [id, secondsAgo])

/** A synced file in error. Only files without bytes get this state automatically, so the test sets it. */
async function failSynced(id: string, secondsAgo: number) {
  await t.database.sql(
    `update file set status = 'error', error_code = 'content_lost', error = 'The run failed', evict_due_at = null,
       version = version + 1 where id = $1`,
    [id],
  )
  await wasGivenUp(id, secondsAgo)
}

describe('POST /api/files/:fileId/retry', () => {
  it('makes the file hot and its sync due once for concurrent requests, without another file.hot event', async () => {
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

  it('is rejected for permanent errors, in other states, and without a hot object', async () => {
    const owner = client()
    const [bytes, size, gone, none] = await Promise.all(['b', 's', 'g', 'n'].map((one) => owner.hotFile(one)))
    expect((await owner.call('POST', `/api/files/${bytes.id}/retry`)).status).toBe(409)
    await giveUpStoring(t, bytes.id, 'checksum_mismatch')
    await giveUpStoring(t, size.id, 'size_mismatch')
    await t.hotTier.remove(String((await row(gone.id))?.hot_key))
    for (const { id } of [gone, none]) await giveUpStoring(t, id)
    await t.database.sql('update file set hot_key = null where id = $1', [none.id])
    for (const { id } of [bytes, size, gone, none]) {
      expect((await owner.call('POST', `/api/files/${id}/retry`)).status).toBe(409)
      expect((await row(id))?.status).toBe('error')
    }
  })

  it('is rejected during a claim, and after a failed eviction while a deletion may be in progress', async () => {
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
})

describe('POST /api/files/:fileId/rehydrate', () => {
  it('schedules the restore of a cold file once for repeated requests, without changing the status', async () => {
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
  })

  it('serves restored bytes from the hot tier until their removal, and keeps a request during the removal', async () => {
    const owner = clientOf(t)
    const file = await owner.hotFile('hello')
    await makeCold(t, file.id)
    const download = async () => (await owner.call('GET', `/api/files/${file.id}/download`)).body
    const rehydrating = async () => (await owner.call('POST', `/api/files/${file.id}/rehydrate`)).body.rehydrating
    expect((await download()).source).toBe('network')
    await makeRehydrated(t, file.id)
    expect(await rehydrating()).toBe(false)
    expect((await owner.call('GET', `/api/files/${file.id}`)).body).toMatchObject({
      ...{ status: 'cold', inHotCache: true, rehydrating: false, hotUntil: expect.any(String) },
    })
    const hot = await download()
    expect(hot.source).toBe('hot')
    expect(await (await fetch(hot.downloadUrl)).text()).toBe('hello')
    await t.database.sql(`update file set evicting_at = now(), claimed_until = now() + interval '60 s' where id = $1`, [
      file.id,
    ])
    const { claimed_until, evict_due_at, evicting_at } = (await row(file.id)) ?? {}
    expect((await download()).source).toBe('network')
    expect(await rehydrating()).toBe(true)
    expect(await row(file.id)).toMatchObject({ claimed_until, evict_due_at, evicting_at })
  })
})
