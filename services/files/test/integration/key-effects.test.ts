import type { Verb } from '@tideport/contracts/endpoint/verb'
import { effects } from '@tideport/contracts/internal/effects'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { waitFor } from '@tideport/testing/wait-for'
import { beforeAll, describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { type Answer, clientOf, limitedKey } from '../client.ts'
import { createWorld, type Request, requestsIn, rowsOf, SECRET, type World, worldsLike } from '../rights-world.ts'

const t = sharedBundle()
let worldFor: (request: string) => Promise<World>
beforeAll(async () => {
  const first = await createWorld(t)
  await untilJobIsOver(first, { body: { job: { id: first.jobId } } })
  const copyWorld = await worldsLike(t, first)
  const { openId, replacingId } = first
  worldFor = (request) => {
    const { method, path } = named(first, request)
    const needsStore = method !== 'PATCH' && (path.includes(openId) || path.includes(replacingId))
    return needsStore ? createWorld(t) : copyWorld()
  }
})

const verbs: readonly Verb[] = ['read', 'upload', 'change', 'share', 'delete']
const without = (verb: Verb) => verbs.filter((one) => one !== verb)

function keyOf({ owner }: Pick<World, 'owner'>, rights: Partial<AccountPrincipal> | readonly Verb[]) {
  const limited = (held: readonly Verb[]) => ({
    limits: { vaultIds: null, prefixes: null, verbs: [...held], budgets: [] },
  })
  return clientOf(t, owner.accountId, { keyId: newAccount(), keyPrefix: 'tdp_test', ...(Array.isArray(rights) ? limited(rights) : rights) }) // biome-ignore format: one call
}

const none = { name: '', method: 'GET', path: '' }
const requests = requestsIn({ vaultId: '', fileId: '' } as World)
const named = (world: World, name: string): Request => requestsIn(world).find((one) => one.name === name) ?? none

async function call(key: ReturnType<typeof clientOf>, { method, path, json }: Request, headers = {}): Promise<Answer> {
  return await key.call(method, path, { ...(json && { json }), headers })
}

/** Trashing, purging, and expiry of each file and vault. The expiry of a vault applies to its new files. */
async function lossesIn({ owner: { accountId } }: World): Promise<Map<string, string>> {
  const rows = await t.database.sql<{ id: string; lost: string }>(
    `select id::text, concat_ws(' ', deleted_at is not null, purging_at is not null, expires_at) as lost
     from file where account_id = $1
     union all
     select id::text, concat_ws(' ', deleted_at is not null, purging_at is not null, files_expire_after_seconds)
     from vault where account_id = $1`,
    [accountId],
  )
  return new Map(rows.map(({ id, lost }) => [id, lost]))
}

/** IDs of files and vaults that existed before, and since then were trashed, purged, or given an expiry. */
async function lostSince(world: World, before: Map<string, string>): Promise<string[]> {
  const now = await lossesIn(world)
  const restored = 'f f'
  return [...before].filter(([id, lost]) => now.get(id) !== lost && now.get(id) !== restored).map(([id]) => id)
}

async function untilJobIsOver({ owner }: World, { body }: Pick<Answer, 'body'>): Promise<void> {
  const jobId = body?.job?.id
  if (jobId === undefined) return
  const isOver = async () => (await owner.call('GET', `/api/jobs/${jobId}`)).body.finishedAt !== null
  await waitFor(isOver, { what: 'the job to be over' })
}

describe('a key without the verb delete', () => {
  it.each(requests.map(({ name }) => name))('cannot delete a file with %s', async (name) => {
    const world = await worldFor(name)
    for (const held of [...without('delete').map((verb) => [verb]), without('delete')]) {
      const before = await lossesIn(world)
      const answer = await call(keyOf(world, held), named(world, name))
      if (answer.status === 200 && !name.startsWith('POST /api/vaults/:vaultId/copy'))
        await untilJobIsOver(world, answer)
      expect(await lostSince(world, before), `${held} ${answer.status}`).toEqual([])
      if (answer.status === 403) expect(answer.body.code).toBe('outside_key_limits')
    }
    expect([200, 201, 409], 'a request that is valid').toContain((await call(world.owner, named(world, name))).status)
  })

  it.each([
    'PATCH /api/files/:fileId that expires',
    'PATCH /api/files/:fileId that replaces',
    'PATCH /api/vaults/:vaultId whose files expire',
    'POST /api/files/:fileId/restore that was replaced',
    'POST /api/files/:fileId/confirm that replaces',
    'PATCH /api/files/:fileId of an upload that replaces',
    'POST /api/vaults/:vaultId/move by prefix, that replaces',
  ])('gets the name of the missing verb for %s, and a key with all verbs succeeds', async (name) => {
    const world = await worldFor(name)
    const details = { limit: 'verbs', requiredVerb: 'delete' }
    const refused = await call(keyOf(world, without('delete')), named(world, name))
    expect(refused).toMatchObject({ status: 403, body: { code: 'outside_key_limits', details } })
    expect((await call(keyOf(world, verbs), named(world, name))).status).toBe(200)
  })

  it('restores a replaced file whose path is free, alone or with other files', async () => {
    const world = await createWorld(t)
    const { owner, presentId, replacedId, vaultId } = world
    const many = await call(
      keyOf(world, ['change']),
      named(world, 'POST /api/vaults/:vaultId/restore-files that were replaced'),
    )
    expect(many.body.results).toEqual([{ fileId: replacedId, code: 'path_taken' }])
    await owner.call('PATCH', `/api/files/${presentId}`, { json: { name: 'away' } })
    expect(
      (await call(keyOf(world, ['change']), named(world, 'POST /api/files/:fileId/restore that was replaced'))).status,
    ).toBe(200)
    await owner.call('DELETE', `/api/files/${replacedId}`)
    const json = { ids: [replacedId] }
    const again = await keyOf(world, ['change']).call('POST', `/api/vaults/${vaultId}/restore-files`, { json })
    expect(again.body.results).toEqual([{ fileId: replacedId, code: null }])
  })

  it('cannot repeat a request of a key with that verb', async () => {
    const world = await createWorld(t)
    for (const name of [
      'PUT /api/vaults/:vaultId/content/*path that replaces',
      'POST /api/files/upload that replaces',
      'POST /api/vaults/:vaultId/move by prefix, that replaces',
    ]) {
      const headers = { 'idempotency-key': name }
      expect([200, 201]).toContain((await call(keyOf(world, verbs), named(world, name), headers)).status)
      expect((await call(keyOf(world, without('delete')), named(world, name), headers)).status).toBe(403)
    }
  })
})

describe('a caller that may not read', () => {
  const scopes = ['files:write', 'vaults:write', 'links:write'] as const
  const rights = { 'by its scopes': { scopes: [...scopes] }, 'by its verbs': without('read') }

  it.each(requests.map(({ name }) => name))('learns nothing about existing data from %s', async (name) => {
    for (const [how, held] of Object.entries(rights)) {
      const world = await worldFor(name)
      const request = named(world, name)
      const sent = JSON.stringify(request)
      const { owner: _, ...ids } = world
      const answer = await call(keyOf(world, held), request)
      const told = answer.bytes.toString() + JSON.stringify([...answer.headers])
      expect(told, how).not.toContain(SECRET)
      const untold = Object.values(ids).filter((id) => !sent.includes(id))
      expect(untold.filter((id) => told.includes(id)), how).toEqual([]) // biome-ignore format: one line
      if (answer.status === 409 && name.includes('taken')) expect(answer.body).toMatchObject({ code: 'path_taken' })
    }
  })

  it.each(Object.entries(rights))('sees its upload until another caller edits the file, %s', async (_, held) => {
    const world = await createWorld(t)
    const { owner, vaultId, fileId } = world
    const key = keyOf(world, held)
    const file = await key.hotFile('mine', { vaultId, name: 'mine', tags: ['my-tag'] })
    expect(file).toMatchObject({ status: 'hot', name: 'mine', tags: ['my-tag'], sizeBytes: 4 })
    const again = await key.call('POST', `/api/files/${file.id}/confirm`)
    expect(again).toMatchObject({ status: 200, body: { id: file.id, status: 'hot' } })
    expect(Object.keys(again.body)).toEqual(['id', 'status'])
    const existing = await key.call('POST', `/api/files/${fileId}/confirm`)
    expect(existing.body).toEqual({ id: fileId, status: 'hot' })

    const edited = (await key.requestUpload({ vaultId, sizeBytes: 0 })).body.fileId
    await owner.call('PATCH', `/api/files/${edited}`, { json: { tags: [SECRET] } })
    expect((await key.call('GET', `/api/files/${edited}/parts`)).status).toBe(404)
    const whole = { json: 'bytes', headers: { 'idempotency-key': 'once' } }
    const made = await key.call('PUT', `/api/vaults/${vaultId}/content/new`, whole)
    expect(made).toMatchObject({ status: 201, body: { status: 'hot', path: 'new' } })
    await owner.call('PATCH', `/api/files/${made.body.id}`, { json: { tags: [SECRET] } })
    const replayed = await key.call('PUT', `/api/vaults/${vaultId}/content/new`, whole)
    expect(replayed).toMatchObject({ status: 201, body: { id: made.body.id, status: 'hot' } })
    expect(replayed.bytes.toString()).not.toContain(SECRET)
  })

  it.each(Object.entries(rights))(
    'gets no URL for the upload of another key by repeating its request, %s',
    async (_, held) => {
      const world = await createWorld(t)
      const json = { name: 'new', mimeType: 'text/plain', sizeBytes: 5, vaultId: world.vaultId }
      const request = { json, headers: { 'idempotency-key': 'once' } }
      const made = await world.owner.call('POST', '/api/files/upload', request)
      const repeated = await keyOf(world, held).call('POST', '/api/files/upload', request)
      expect([repeated.status, repeated.body.code]).toEqual([404, 'not_found'])
      const byReader = await keyOf(world, verbs).call('POST', '/api/files/upload', request)
      expect([byReader.status, byReader.body.fileId]).toEqual([201, made.body.fileId])
      const own = { json, headers: { 'idempotency-key': 'own' } }
      const key = keyOf(world, held)
      const first = await key.call('POST', '/api/files/upload', own)
      const second = await key.call('POST', '/api/files/upload', own)
      expect([second.status, second.body.fileId]).toEqual([201, first.body.fileId])
    },
  )

  it('gets the same fields of a vault from a repeated request as from the first', async () => {
    const world = await createWorld(t)
    const key = keyOf(world, { scopes: ['vaults:write'] })
    const request = { json: { name: 'Mine', visibility: 'public' }, headers: { 'idempotency-key': 'once' } }
    const first = await key.call('POST', '/api/vaults', request)
    await world.owner.call('PATCH', `/api/vaults/${first.body.id}`, { json: { name: SECRET, description: SECRET } })
    await world.owner.hotFile('x', { vaultId: first.body.id })
    expect(await key.call('POST', '/api/vaults', request)).toMatchObject({ status: first.status, body: first.body })
  })

  it('sees nothing of other callers’ jobs when it repeats or cancels one', async () => {
    const world = await createWorld(t)
    const move = {
      ...named(world, 'POST /api/vaults/:vaultId/move by prefix'),
      json: { prefix: '', to: 'moved/', onConflict: 'fail' },
    }
    const headers = { 'idempotency-key': 'once' }
    const made = await call(world.owner, move, headers)
    await untilJobIsOver(world, made)
    const repeated = await call(keyOf(world, ['change']), move, headers)
    const job = { id: made.body.job.id, kind: 'move', state: 'done', prefix: null, failures: [], actor: null }
    expect(repeated).toMatchObject({ status: 200, body: { job } })
    const cancelled = await keyOf(world, ['change']).call('POST', `/api/jobs/${job.id}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: job })
  })
})

it('a caller without access finds and changes nothing with any of the requests', async () => {
  const world = await createWorld(t)
  const { owner, ...ids } = world
  await untilJobIsOver(world, { body: { job: { id: world.jobId } } })
  const before = await rowsOf(t, owner.accountId)
  for (const [who, caller, statuses] of [
    ['another account', clientOf(t), [404]],
    ['a key for another vault', limitedKey(t, owner, { vaultIds: [newAccount()] }), [404]],
    ['a key for another folder', limitedKey(t, owner, { prefixes: ['none/'] }), [403, 404]],
  ] as const) {
    for (const request of requestsIn(world)) {
      const namesAny = Object.values(ids).some((id) => JSON.stringify(request).includes(id))
      // A key for folders of the vault has an outcome for each file that it names (key-prefixes.test.ts).
      if (!namesAny || (statuses.length > 1 && request.json && 'ids' in request.json)) continue
      const { status, body } = await call(caller, request)
      expect(statuses, `${who}: ${request.name}`).toContain(status)
      if (status === 404) expect(body).toEqual({ error: 'Not found', code: 'not_found' })
    }
  }
  expect(await rowsOf(t, owner.accountId)).toEqual(before)
})

it('the requests cover every field with an additional effect', () => {
  for (const [route, { fields }] of Object.entries(effects)) {
    const own = requests.filter(({ name }) => name.split(' ', 2).join(' ') === route)
    for (const [field, rule] of Object.entries<(value: unknown) => unknown>(fields)) {
      if (['replace', 60].every((value) => rule(value) === null)) continue
      const isSent = ({ path, json }: Request) => path.includes(`${field}=`) || Object.hasOwn(json ?? {}, field)
      expect(own.some(isSent), `${route} with ${field}`).toBe(true)
    }
  }
})
