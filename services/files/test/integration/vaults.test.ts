import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { clientOf, visitorOf } from '../client.ts'

const t = sharedBundle()

describe('a new account', () => {
  it('has exactly one default vault, even after concurrent first calls', async () => {
    const accountId = newAccount()
    const client = clientOf(t, accountId)
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.call('GET', index % 2 ? '/api/vaults' : '/api/account')),
    )
    for (const { status } of first) expect(status).toBe(200)
    const { body } = await client.call('GET', '/api/vaults')
    expect(body.vaults).toEqual([
      {
        id: expect.any(String),
        name: 'Default',
        description: '',
        visibility: 'public',
        slug: 'default',
        isDefault: true,
        isExport: false,
        fileCount: 0,
        storageBytes: 0,
        filesExpireAfterSeconds: null,
        keyId: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        deletedAt: null,
      },
    ])
    expect((await client.call('GET', '/api/account')).body).toEqual({
      id: accountId,
      createdAt: expect.any(String),
      usage: { storageBytes: 0, hotBytes: 0, fileCount: 0, vaultCount: 1, networks: [] },
      limits: { maxPutBytes: 5 * 1024 ** 3, maxFileBytes: 50 * 1024 ** 3, quotaBytes: null, openUploadsMax: 100 },
    })
  })

  it('gets its default vault with any first call', async () => {
    const client = clientOf(t)
    expect((await client.createVault('Mine', 'private')).slug).toBe('mine')
    expect((await client.call('GET', '/api/account')).body.usage.vaultCount).toBe(2)
  })
})

describe('POST /api/vaults', () => {
  it('gives vaults with the same name different slugs without gaps', async () => {
    const client = clientOf(t)
    const vaults = await Promise.all(Array.from({ length: 12 }, () => client.createVault('Fotos & Vidéos', 'public')))
    const wanted = ['fotos-videos', ...Array.from({ length: 11 }, (_, index) => `fotos-videos-${index + 2}`)]
    expect(vaults.map(({ slug }) => slug).toSorted()).toEqual(wanted.toSorted())
    expect((await client.call('GET', '/api/account')).body.usage.vaultCount).toBe(13)
    expect((await clientOf(t).createVault('Fotos & Vidéos', 'public')).slug).toBe('fotos-videos')
  })

  it.each([
    [{}, ['name', 'visibility']],
    [{ name: '', visibility: 'public' }, ['name']],
    [{ name: 'a\u0000b', visibility: 'public' }, ['name']],
    [{ name: 'a'.repeat(129), visibility: 'public' }, ['name']],
    [{ name: 'a', visibility: 'secret' }, ['visibility']],
    [{ name: 'a', visibility: 'public', description: 'd'.repeat(1001) }, ['description']],
  ])('rejects %j', async (json, paths) => {
    const { status, body } = await clientOf(t).call('POST', '/api/vaults', { json })
    expect([status, body.details.issues.map(({ path }: { path: string }) => path)]).toEqual([400, paths])
  })
})

describe('PATCH /api/vaults/:vaultId', () => {
  it('changes name and description, keeps the slug, and rejects a visibility', async () => {
    const client = clientOf(t)
    const { id } = await client.createVault('Before', 'private')
    const patch = (json: unknown) => client.call('PATCH', `/api/vaults/${id}`, { json })
    expect((await patch({ name: 'After' })).body).toMatchObject({ name: 'After', slug: 'before', description: '' })
    expect((await patch({ description: 'd' })).body).toMatchObject({ name: 'After', description: 'd' })
    for (const visibility of ['public', 'private', null]) {
      const { status, body } = await patch({ name: 'No', visibility })
      expect([status, body.details.issues[0].path]).toEqual([400, 'visibility'])
    }
    expect((await client.call('GET', `/api/vaults/${id}`)).body).toMatchObject({ name: 'After', visibility: 'private' })
  })
})

describe('lists', () => {
  it('return every file once across pages in any order, even for files with the same creation time', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const names = ['b', 'a', 'B', 'ä', '🙂', 'a']
    for (const name of names) await client.requestUpload({ vaultId, name, sizeBytes: 1 })
    await t.database.sql(
      `update file set created_at = '2026-01-01T00:00:00.000001Z'::timestamptz + (random() * 3)::int * interval '1 microsecond'
       where account_id = $1`,
      [client.accountId],
    )
    const inBytes = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    for (const sortBy of ['createdAt', 'name']) {
      for (const order of ['asc', 'desc']) {
        const pages = await client.pages(`/api/files?sortBy=${sortBy}&order=${order}&limit=2`)
        const listed: { id: string; name: string }[] = pages.flatMap(({ files }) => files)
        expect(new Set(listed.map(({ id }) => id)).size).toBe(names.length)
        expect(listed).toHaveLength(names.length)
        if (sortBy === 'name') {
          expect(listed.map(({ name }) => name)).toEqual(order === 'asc' ? inBytes : inBytes.toReversed())
        }
      }
    }
  })

  it('filter files by vault and status, and reject a cursor of another filter', async () => {
    const client = clientOf(t)
    const { id: vaultId } = await client.createVault('Other', 'public')
    const hot = await client.hotFile('hello', { vaultId })
    const { fileId: open } = (await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 1 })).body
    const list = async (query: string) => {
      const { status, body } = await client.call('GET', `/api/files?${query}`)
      return status === 200 ? body.files.map(({ id }: { id: string }) => id) : status
    }
    expect(await list('')).toEqual([open, hot.id])
    expect(await list(`vaultId=${vaultId}`)).toEqual([hot.id])
    expect(await list('status=uploading')).toEqual([open])
    expect(await list('status=hot&status=uploading')).toEqual([open, hot.id])
    expect(await list('status=lukewarm')).toBe(400)
    for (const limit of ['0', '-1', '1.5', '1e1', '0x5', '+5', '', '%205'])
      expect(await list(`limit=${limit}`)).toBe(400)
    expect(await list('limit=100000')).toHaveLength(2)
    const { nextCursor } = (await client.call('GET', '/api/files?limit=1')).body
    expect(await list(`cursor=${nextCursor}`)).toEqual([hot.id])
    for (const other of ['status=hot', 'sortBy=name', 'order=asc', `vaultId=${vaultId}`]) {
      expect(await list(`${other}&cursor=${nextCursor}`)).toBe(400)
    }
    await t.database.sql('update vault set deleted_at = now() where id = $1', [vaultId])
    expect(await list('')).toEqual([open])
    expect((await client.call('GET', `/api/files/${hot.id}`)).status).toBe(404)
    expect((await client.call('GET', '/api/vaults')).body.vaults).toHaveLength(1)
  })
})

it('IDs are accepted in any case in queries, bodies, cursors, and repeated requests', async () => {
  const client = clientOf(t)
  const { id } = await client.createVault('Other', 'public')
  const json = (vaultId: string) => ({ vaultId, name: 'a', mimeType: 'a/b', sizeBytes: 1 })
  const upload = (vaultId: string) =>
    client.call('POST', '/api/files/upload', { json: json(vaultId), headers: { 'idempotency-key': 'one' } })
  const [first, again] = [await upload(id.toUpperCase()), await upload(id)]
  expect([first.status, again.body.fileId]).toEqual([201, first.body.fileId])
  const file = await client.hotFile('a')
  const moved = await client.call('PATCH', `/api/files/${file.id}`, { json: { vaultId: id.toUpperCase() } })
  expect([moved.status, moved.body.vaultId]).toEqual([200, id])
  const list = (vaultId: string, cursor = '') => client.call('GET', `/api/files?vaultId=${vaultId}&limit=1${cursor}`)
  const page = await list(id.toUpperCase())
  const rest = await list(id, `&cursor=${page.body.nextCursor}`)
  expect([...page.body.files, ...rest.body.files].map(({ vaultId }) => vaultId)).toEqual([id, id])
})

describe('names', () => {
  it.each([
    '..',
    'CON',
    '%00%2e%2e',
    'e\u0301',
    'r\u202etxt.exe',
    "'; drop table file; --",
    '<script>alert(1)',
    ' lead and trail ',
    '\ufeffbom',
    '🙂'.repeat(255),
    '__proto__',
  ])('are stored and returned as sent, except that names of files are in NFC: %j', async (name) => {
    const client = clientOf(t)
    const file = await client.hotFile('x', { name, mimeType: 'text/html' })
    expect(file.name).toBe(name.normalize('NFC'))
    const answer = await visitorOf(t)(`/api/public/files/${file.id}`)
    expect([answer.status, answer.headers.get('content-disposition')?.split(';')[0]]).toEqual([200, 'attachment'])
    const vault = await client.createVault([...name].slice(0, 128).join(''), 'public')
    expect(vault.slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    const page = await client.call('GET', '/api/files?sortBy=name&limit=1')
    expect(page.status).toBe(200)
  })

  it.each(['', 'a/b', 'a\\b', 'a\r\nSet-Cookie: x', '\u0000', '\ud800', 'a'.repeat(256)])(
    'that could cause harm are rejected: %j',
    async (name) => {
      const client = clientOf(t)
      const vaultId = await client.defaultVault()
      expect((await client.requestUpload({ vaultId, name, sizeBytes: 1 })).status).toBe(400)
      expect((await client.requestUpload({ vaultId, mimeType: `text/${name}`, sizeBytes: 1 })).status).toBe(400)
    },
  )
})

describe('the key of a vault', () => {
  const first = 'AGkxnfPLm5Q'
  const second = 'bHkxnfPLm5Q'

  it('is set by one of several concurrent clients, and the others get 409', async () => {
    const client = clientOf(t)
    const { id } = await client.createVault('Diary', 'private')
    const keyIds = Array.from({ length: 12 }, (_, index) => `AGkxnfPLm${String(index).padStart(2, '0')}`)
    const answers = await Promise.all(
      keyIds.map((keyId) => client.call('PATCH', `/api/vaults/${id}`, { json: { keyId } })),
    )
    const taken = answers.flatMap(({ status, body }) => (status === 200 ? [body.keyId] : []))
    expect(taken).toHaveLength(1)
    expect(answers.filter(({ status, body }) => status === 409 && body.code === 'state_conflict')).toHaveLength(11)
    expect((await client.call('GET', `/api/vaults/${id}`)).body.keyId).toBe(taken[0])
  })

  it('can be sent again, and replaces only the key that the request names', async () => {
    const client = clientOf(t)
    const { id } = await client.createVault('Diary', 'private')
    const patch = (body: object) => client.call('PATCH', `/api/vaults/${id}`, { json: body })
    for (const [body, status, keyId] of [
      [{ keyId: first }, 200, first],
      [{ keyId: first, name: 'Log' }, 200, first],
      [{ keyId: second, name: 'Not this' }, 409, first],
      [{ keyId: second, replacesKeyId: second }, 409, first],
      [{ keyId: second, replacesKeyId: first }, 200, second],
      [{ keyId: 'short' }, 400, second],
      [{ keyId: null }, 400, second],
    ] as const) {
      expect((await patch(body)).status, JSON.stringify(body)).toBe(status)
      expect((await client.call('GET', `/api/vaults/${id}`)).body).toMatchObject({
        keyId,
        name: expect.not.stringContaining('Not'),
      })
    }
  })

  it('cannot be set for a public vault or by another account', async () => {
    const client = clientOf(t)
    const open = await client.createVault('Pictures', 'public')
    expect((await client.call('PATCH', `/api/vaults/${open.id}`, { json: { keyId: first } })).status).toBe(409)
    const { id } = await client.createVault('Diary', 'private')
    const stranger = await clientOf(t).call('PATCH', `/api/vaults/${id}`, { json: { keyId: first } })
    expect(stranger.status).toBe(404)
    expect((await client.call('GET', `/api/vaults/${id}`)).body.keyId).toBeNull()
  })
})
