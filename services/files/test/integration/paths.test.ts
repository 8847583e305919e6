import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, encryption, put } from '../client.ts'
import { expectCounted } from '../owner-of-many.ts'

const t = sharedBundle({ logLevel: 'error' })

type Row = Record<string, unknown>
type Conflict = 'keep' | 'fail' | 'replace'

/** An account with an empty vault, and functions that upload files there. */
async function owner() {
  const client = clientOf(t)
  const { id: vaultId } = await client.createVault('Paths', 'public')
  /** Uploads in one request. */
  const send = (path: string, onConflict: Conflict = 'keep') =>
    client.call('PUT', `/api/vaults/${vaultId}/content/${path}?onConflict=${onConflict}`, { body: 'hello' })
  /** Requests an upload and PUTs its bytes, but does not confirm. */
  const begin = async (path: string, onConflict: Conflict) => {
    const fields = { mimeType: 'text/plain', sizeBytes: 5, vaultId, path, onConflict }
    const { status, body } = await client.call('POST', '/api/files/upload', { json: fields })
    if (status === 201) await put(body, 'hello')
    return { status, body, id: body.fileId as string }
  }
  const confirm = (id: string) => client.call('POST', `/api/files/${id}/confirm`)
  const patch = (id: string, json: object) => client.call('PATCH', `/api/files/${id}`, { json })
  const restore = (id: string) => client.call('POST', `/api/files/${id}/restore`)
  const read = async (id: string) => (await client.call('GET', `/api/files/${id}`)).body
  const live = async () =>
    (await t.database.sql(
      `select id, path from file where vault_id = $1 and deleted_at is null and purging_at is null
         and status <> 'uploading' order by path, coalesce(place_id, id)`,
      [vaultId],
    )) as { id: string; path: string }[]
  const trash = async () => (await client.call('GET', '/api/trash')).body.files as Row[]
  return { ...client, vaultId, send, begin, confirm, patch, restore, read, live, trash }
}
async function eventsOf(id: string): Promise<Row[]> {
  const rows = await t.database.sql('select type, payload from event where subject_id = $1 order by at, id', [id])
  return rows.map(({ type, payload }) => ({ type, ...((payload as { data?: Row }).data ?? (payload as Row)) }))
}

describe('a path', () => {
  it('consists of folders and a name in NFC, for both upload methods', async () => {
    const client = await owner()
    const { id } = await client.begin('2026/e\u0301te\u0301/a.txt', 'keep')
    expect((await client.confirm(id)).body).toMatchObject({ name: 'a.txt', path: '2026/été/a.txt', replaces: null })
    const { status, body } = await client.send('2026/%C3%A9t%C3%A9%2Fb%20c.txt')
    expect([status, body]).toMatchObject([201, { name: 'b c.txt', path: '2026/été/b c.txt' }])
    expect((await client.send('alone.txt')).body).toMatchObject({ name: 'alone.txt', path: 'alone.txt' })
    expect(await eventsOf(id)).toMatchObject([{ type: 'file.hot', fileName: 'a.txt', filePath: '2026/été/a.txt' }])
    for (const wrong of ['a//b', '%2e%2e%2fb', 'a/', 'a%5Cb/c']) {
      expect(await client.send(wrong), wrong).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    }
  })

  it('is at most 1,024 bytes, with at most 255 bytes between slashes, for every request', async () => {
    const client = await owner()
    const wide = '日'.repeat(255)
    const { id } = (await client.send('a/b')).body
    const { id: alone } = (await client.send(encodeURIComponent(wide))).body
    expect((await client.patch(alone, { path: wide.slice(1) })).body.path).toBe(wide.slice(1))
    const refused = { status: 400, body: { code: 'path_too_long' } }
    for (const path of [
      `a/${wide}`,
      `${'x'.repeat(256)}/b`,
      `${'a/'.repeat(513)}b`,
      'x'.repeat(256),
      'x'.repeat(9000),
    ]) {
      const answers = [
        await client.send(encodeURIComponent(path)),
        await client.begin(path, 'keep'),
        await client.patch(id, { path }),
        await client.patch(alone, { path }),
      ]
      for (const answer of answers) expect(answer, path).toMatchObject(refused)
    }
    for (const name of [wide, 'x'.repeat(256)]) expect(await client.patch(id, { name })).toMatchObject(refused)
    expect((await client.patch(id, { name: 'x'.repeat(255) })).status).toBe(200)
    const both = await client.patch(id, { name: wide.repeat(2), tags: 'none' })
    expect(both).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('is changed by PATCH, completely or only its last segment, and the history shows this', async () => {
    const client = await owner()
    const { body: file } = await client.send('a/b/c.txt')
    expect((await client.patch(file.id, { name: 'd.txt' })).body.path).toBe('a/b/d.txt')
    expect((await client.patch(file.id, { path: 'e.txt' })).body).toMatchObject({ name: 'e.txt', path: 'e.txt' })
    expect((await client.patch(file.id, { path: 'x'.repeat(250).concat('/f.txt') })).status).toBe(200)
    for (const wrong of [
      { path: 'a/..' },
      { path: 'a', name: 'a' },
      { path: 'a', onConflict: 'fail', vaultId: file.vaultId },
    ]) {
      expect((await client.patch(file.id, wrong)).status).toBe(400)
    }
    const deep = await client.send(`${'d'.repeat(250)}/`.repeat(4).concat('a'))
    expect((await client.patch(deep.body.id, { name: 'x'.repeat(100) })).status).toBe(400)
    const { body } = await client.call('GET', `/api/files/${file.id}/timeline`)
    const changes = body.timeline.filter(({ type }: Row) => type === 'file.changed')
    expect(changes.map(({ details }: Row) => details)).toMatchObject([
      { nameBefore: 'c.txt', pathBefore: 'a/b/c.txt', path: 'a/b/d.txt' },
      { nameBefore: 'd.txt', pathBefore: 'a/b/d.txt', name: 'e.txt' },
      { nameBefore: 'e.txt', path: `${'x'.repeat(250)}/f.txt` },
    ])
  })
})

describe('a path that is in use', () => {
  it('is shared by files that are uploaded with keep', async () => {
    const client = await owner()
    const files = [await client.send('a/b'), await client.send('a/b')]
    expect(await client.live()).toEqual(files.map(({ body }) => ({ id: body.id, path: 'a/b' })))
  })

  it('rejects an upload with fail on its request, on its confirm, and in one request', async () => {
    const client = await owner()
    const early = await client.begin('a/b', 'fail')
    expect(early.status).toBe(201)
    const { body: first } = await client.send('a/b', 'fail')
    const taken = { status: 409, body: { code: 'path_taken', details: { fileId: first.id } } }
    expect(await client.begin('a/b', 'fail')).toMatchObject(taken)
    expect(await client.send('a/b', 'fail')).toMatchObject(taken)
    expect(await client.confirm(early.id)).toMatchObject(taken)
    expect(await client.read(early.id)).toMatchObject({ status: 'uploading' })
    await client.call('DELETE', `/api/files/${first.id}`)
    expect((await client.confirm(early.id)).body).toMatchObject({ status: 'hot', path: 'a/b' })
    await expectCounted(t, client)
  })

  it('belongs to the file that replaces another one, which moves to the trash at the same time', async () => {
    const client = await owner()
    const { body: old } = await client.send('a/b')
    const { id } = await client.begin('a/b', 'replace')
    expect(await client.live()).toEqual([{ id: old.id, path: 'a/b' }])
    expect((await client.confirm(id)).body).toMatchObject({ status: 'hot', replaces: old.id })
    expect((await client.confirm(id)).body).toMatchObject({ replaces: old.id })
    expect(await client.live()).toEqual([{ id, path: 'a/b' }])
    expect(await client.trash()).toMatchObject([{ id: old.id, replacedBy: id }])
    expect(await eventsOf(id)).toMatchObject([{ type: 'file.hot', replaces: old.id }])
    expect(await eventsOf(old.id)).toMatchObject([{ type: 'file.hot' }, { type: 'file.deleted', replacedBy: id }])
    const [{ at, hot_at }] = (await t.database.sql(
      `select (select deleted_at from file where id = $1) as at, (select confirmed_at from file where id = $2) as hot_at`,
      [old.id, id],
    )) as [{ at: Date; hot_at: Date }]
    expect(at).toEqual(hot_at)
    await expectCounted(t, client)
  })

  it('is swapped back whenever the replaced file is restored', async () => {
    const client = await owner()
    const { body: first } = await client.send('a/b')
    const { body: second } = await client.send('a/b', 'replace')
    expect((await client.restore(first.id)).body).toMatchObject({
      replaces: second.id,
      replacedBy: null,
      deletedAt: null,
    })
    expect(await client.live()).toEqual([{ id: first.id, path: 'a/b' }])
    expect((await client.restore(first.id)).status).toBe(200)
    expect((await client.restore(second.id)).body).toMatchObject({ replaces: first.id, replacedBy: null })
    expect(await client.trash()).toMatchObject([{ id: first.id, replacedBy: second.id }])
    await client.call('DELETE', `/api/files/${second.id}`)
    expect((await client.restore(first.id)).body).toMatchObject({ replaces: null })
    expect((await client.restore(second.id)).body).toMatchObject({ replacedBy: null })
    expect(await client.live()).toHaveLength(2)
    expect((await eventsOf(first.id)).map(({ type }) => type)).toEqual(
      ['file.hot', 'file.deleted', 'file.restored', 'file.deleted', 'file.restored'], // biome-ignore format: one claim
    )
    await expectCounted(t, client)
  })

  it('is taken over, rejected, or shared when a file moves there', async () => {
    const client = await owner()
    const { body: a } = await client.send('a', 'replace')
    const { body: b } = await client.send('b', 'replace')
    expect(await client.patch(b.id, { path: 'a', onConflict: 'fail' })).toMatchObject({
      status: 409,
      body: { code: 'path_taken', details: { fileId: a.id } },
    })
    expect((await client.patch(b.id, { path: 'a', onConflict: 'replace' })).body).toMatchObject({
      path: 'a',
      replaces: a.id,
    })
    expect(await client.live()).toEqual([{ id: b.id, path: 'a' }])
    const { body: c } = await client.send('c', 'fail')
    expect((await client.patch(c.id, { path: 'a' })).body.path).toBe('a')
    expect(await client.live()).toEqual([b, c].map(({ id }) => ({ id, path: 'a' })))
    expect((await client.send('a', 'replace')).body.replaces).toBe(c.id)
    expect((await client.patch(b.id, { path: 'b/b', onConflict: 'fail' })).body.path).toBe('b/b')
    await expectCounted(t, client)
  })
})

describe('concurrent requests for one path', () => {
  it('with replace: all succeed one after another, and the replaced files form one chain in the trash', async () => {
    const client = await owner()
    const uploads = await Promise.all(Array.from({ length: 12 }, () => client.begin('a/b', 'replace')))
    const [one, ...calls] = await Promise.all([
      ...uploads.map(({ id }) => client.confirm(id)),
      ...Array.from({ length: 12 }, () => client.send('a/b', 'replace')),
    ])
    const files = [one, ...calls].map((answer) => answer?.body as Row)
    expect(files.map(({ status }) => status)).toEqual(Array(24).fill('hot'))
    const [last, ...more] = await client.live()
    expect(more).toEqual([])
    const trash = await client.trash()
    const follower = new Map(trash.map(({ id, replacedBy }) => [id, replacedBy]))
    expect(follower.size).toBe(23)
    expect(new Set(follower.values()).size).toBe(23)
    expect([...follower.values(), ...files.map(({ id }) => id)]).toContain(last?.id)
    expect(files.filter(({ replaces }) => replaces === null)).toHaveLength(1)
    for (const { id, replaces } of files) if (replaces !== null) expect(follower.get(replaces)).toBe(id)
    await expectCounted(t, client)
  })

  it('with fail: one succeeds', async () => {
    const client = await owner()
    const uploads = await Promise.all(Array.from({ length: 8 }, () => client.begin('a/b', 'fail')))
    const answers = await Promise.all(uploads.map(({ id }) => client.confirm(id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    expect(await client.live()).toHaveLength(1)
  })

  it('with moves, restores, deletions, and replacements lose no file and keep the counters correct', async () => {
    const client = await owner()
    const sent = await Promise.all(Array.from({ length: 6 }, (_, index) => client.send(`from/${index}`, 'replace')))
    const ids = sent.map(({ body }) => body.id as string)
    const actions = ids.flatMap((id, index) => [
      () => client.patch(id, { path: `to/${index % 2}`, onConflict: 'replace' }),
      () => client.send(`to/${index % 2}`, 'replace'),
      () => client.restore(id),
      () => client.call('DELETE', `/api/files/${id}`),
    ])
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all(actions.map((act) => act()))
      expect(answers.filter(({ status }) => status >= 500).length).toBe(0)
    }
    await expectCounted(t, client)
    const [gone] = await t.database.sql('select count(*)::int as files from file where vault_id = $1', [client.vaultId])
    expect(gone).toEqual({ files: 6 + 24 })
    const soles = await t.database.sql(
      `select path from file where vault_id = $1 and on_conflict <> 'keep' and deleted_at is null group by path having count(*) > 1`,
      [client.vaultId],
    )
    expect(soles).toEqual([])
  })
})

it('a repeated request with its key returns its file, even if that file has taken the path', async () => {
  const client = await owner()
  const json = { mimeType: 'a/b', sizeBytes: 5, vaultId: client.vaultId, path: 'a/b', onConflict: 'fail' }
  const ask = (more = {}) =>
    client.call('POST', '/api/files/upload', { json: { ...json, ...more }, headers: { 'idempotency-key': 'once' } })
  const { body } = await ask()
  expect((await ask()).body.fileId).toBe(body.fileId)
  expect((await ask({ onConflict: 'replace' })).status).toBe(422)
  await put(body, 'hello')
  expect((await client.confirm(body.fileId)).body.path).toBe('a/b')
  expect((await ask()).body).toMatchObject({ code: 'state_conflict', details: { fileId: body.fileId } })
})

it('a path of a private vault is stored as the client sent it, and can be replaced like any other', async () => {
  const client = await owner()
  const { id: vaultId } = await client.createVault('Secrets', 'private')
  const file = await client.hotFile('hello', { vaultId, name: undefined, path: 'x/sealed', ...encryption })
  const next = await client.hotFile('hello', {
    vaultId,
    name: undefined,
    path: 'x/sealed',
    onConflict: 'replace',
    ...encryption,
  })
  expect(next).toMatchObject({ path: 'x/sealed', replaces: file.id })
})
