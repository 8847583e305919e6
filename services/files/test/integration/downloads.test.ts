import { describe, expect, it } from 'vitest'
import { type Bundle, setup, sharedBundle } from '../bundle.ts'
import { clientOf, encryption, put, visitorOf } from '../client.ts'
import { giveUpStoring, makeCold, makeSynced } from '../later-states.ts'

const t = sharedBundle()

const update = (fileId: string, set: string) => t.database.sql(`update file set ${set} where id = $1`, [fileId])

/** The bytes at a `downloadUrl`. Service URLs contain the public address; this calls the service directly. */
async function follow(downloadUrl: string): Promise<string> {
  const { host, pathname, search } = new URL(downloadUrl)
  if (host === 'files.example') return (await visitorOf(t)(pathname + search)).bytes.toString()
  return await (await fetch(downloadUrl)).text()
}

describe('GET /api/files/:fileId/download', () => {
  it('returns the same bytes in every state, regardless of PUTs to the old upload URL', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const visit = visitorOf(t)
    const check = async (status: string, source: string) => {
      expect((await put(file.upload, 'HELLO')).ok).toBe(false)
      const again = await client.call('POST', `/api/files/${file.id}/confirm`)
      expect([again.status, again.body.status]).toEqual([200, status])
      const { body } = await client.call('GET', `/api/files/${file.id}/download`)
      expect(body.source).toBe(source)
      expect(await follow(body.downloadUrl)).toBe('hello')
      expect((await visit(`/api/public/files/${file.id}`)).bytes.toString()).toBe('hello')
    }
    await check('hot', 'hot')
    await makeSynced(t, file.id)
    await check('synced', 'hot')
    const blobId = await makeCold(t, file.id)
    await check('cold', 'network')
    expect((await visit(`/api/public/blobs/${blobId}`)).bytes.toString()).toBe('hello')
    const events = await t.database.sql(
      `select type from event where subject_id = $1 and type in ('file.hot', 'file.synced', 'file.cold')`,
      [file.id],
    )
    expect(events.map(({ type }) => type)).toEqual(['file.hot', 'file.synced', 'file.cold'])
  })

  it('presigns with the file’s type and name until the stated time', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('<p>', { name: 'é "q".html', mimeType: 'text/html; charset=utf-8' })
    const { body } = await client.call('GET', `/api/files/${file.id}/download`)
    const response = await fetch(body.downloadUrl)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''%C3%A9/)
    const query = new URL(body.downloadUrl).searchParams
    expect(query.get('X-Amz-Expires')).toBe(String(t.config.downloadUrlSeconds))
    const signedAt = (query.get('X-Amz-Date') ?? '').replace(
      /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/,
      '$1-$2-$3T$4:$5:$6Z',
    )
    expect(Date.parse(body.expiresAt) - Date.parse(signedAt)).toBe(t.config.downloadUrlSeconds * 1000)
  })

  it('never presigns after eviction has begun or failed', async () => {
    const client = clientOf(t)
    const sourceOf = async (id: string) => (await client.call('GET', `/api/files/${id}/download`)).body.source
    const file = await client.hotFile('hello')
    await makeSynced(t, file.id)
    await update(file.id, 'evicting_at = now()')
    expect(await sourceOf(file.id)).toBe('network')
    await update(file.id, `evicting_at = null, status = 'error', error_code = 'content_lost', error = 'e'`)
    expect(await sourceOf(file.id)).toBe('network')

    const failed = await client.hotFile('hello')
    await giveUpStoring(t, failed.id)
    expect(await sourceOf(failed.id)).toBe('hot')
  })

  it('returns 409 before confirm, 410 when the bytes are lost, and 404 in the trash', async () => {
    const client = clientOf(t)
    const { fileId } = (await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })).body
    const ask = async (id: string) => {
      const { status, body } = await client.call('GET', `/api/files/${id}/download`)
      return [status, body.code]
    }
    expect(await ask(fileId)).toEqual([409, 'not_downloadable'])
    const lost = await client.hotFile('hello')
    await update(lost.id, `status = 'error', hot_key = null, error_code = 'hot_copy_missing', error = 'e'`)
    expect(await ask(lost.id)).toEqual([410, 'content_lost'])
    const trashed = await client.hotFile('hello')
    await update(trashed.id, 'deleted_at = now()')
    expect(await ask(trashed.id)).toEqual([404, 'not_found'])
    await update(trashed.id, 'deleted_at = null, purging_at = now()')
    expect(await ask(trashed.id)).toEqual([404, 'not_found'])
  })
})

describe('GET /api/downloads/:fileId', () => {
  async function coldPath(): Promise<{ path: string; fileId: string }> {
    const client = clientOf(t)
    const { id: vaultId } = await client.createVault('Secrets', 'private')
    const file = await client.hotFile('0123456789', { vaultId, ...encryption })
    await makeCold(t, file.id)
    const { downloadUrl } = (await client.call('GET', `/api/files/${file.id}/download`)).body
    const { pathname, search } = new URL(downloadUrl)
    return { path: pathname + search, fileId: file.id }
  }

  it('streams a private cold file to any client with the URL, with ranges and without caching', async () => {
    const { path, fileId } = await coldPath()
    const visit = visitorOf(t)
    const whole = await visit(path)
    expect([whole.status, whole.bytes.toString()]).toEqual([200, '0123456789'])
    expect(whole.headers.get('cache-control')).toBe('private, no-store')
    expect(whole.headers.get('etag')).toBe(`"${fileId}"`)
    expect(whole.headers.get('server-timing')).toMatch(/^open;desc="embedded";dur=\d+\.\d$/)
    expect((await t.metrics.render()).text).toMatch(/tideport_reads_total\{source="embedded".*\} [1-9]/)
    const part = await visit(path, { headers: { range: 'bytes=2-4' } })
    expect([part.status, part.bytes.toString()]).toEqual([206, '234'])
    expect(part.headers.get('content-range')).toBe('bytes 2-4/10')
    const head = await visit(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
    expect((await visit(`/api/public/files/${fileId}`)).status).toBe(404)
  })

  it('returns the same 404 for a modified URL, another file, an expired URL, and a trashed file', async () => {
    const { path, fileId } = await coldPath()
    const other = await coldPath()
    const visit = visitorOf(t)
    const refused = [
      path.replace(/signature=./, (text) => (text.endsWith('A') ? 'signature=B' : 'signature=A')),
      path.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 60}`),
      path.replace(fileId, other.fileId),
      path.replace(fileId, 'nonsense'),
      path.replace('expires=', 'expires=0'),
      path.replace('signature=', 'signature=A'),
      path.replace(/signature=[^&]*/, 'signature='),
      path.replace(/signature=[^&]*/, '$&='),
    ]
    for (const each of refused) expect(await visit(each)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    await update(fileId, 'deleted_at = now()')
    expect((await visit(path)).status).toBe(404)
    await update(fileId, 'deleted_at = null')
    expect((await visit(path)).status).toBe(200)
  })

  it('expires by the database’s clock', async () => {
    await using short = await setup({ env: { DOWNLOAD_URL_SECONDS: '1' } })
    const client = clientOf(short)
    const file = await client.hotFile('hello')
    await makeCold(short, file.id)
    const { downloadUrl, expiresAt } = (await client.call('GET', `/api/files/${file.id}/download`)).body
    const { pathname, search } = new URL(downloadUrl)
    await waitForDatabaseTime(short, expiresAt)
    expect(await visitorOf(short)(pathname + search)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })
})

async function waitForDatabaseTime(bundle: Bundle, moment: string) {
  await bundle.database.sql('select pg_sleep(extract(epoch from $1::timestamptz - now()))', [moment])
}

const visit = (...given: Parameters<ReturnType<typeof visitorOf>>) => visitorOf(t)(...given)

async function owner(visibility: 'public' | 'private' = 'public') {
  const client = clientOf(t)
  const vault = await client.createVault('Read me', visibility)
  const sealed = visibility === 'private' ? encryption : {}
  const store = (path: string, bytes: string, more: Record<string, unknown> = {}) =>
    client.hotFile(bytes, { vaultId: vault.id, name: undefined, path, mimeType: 'text/plain', ...sealed, ...more })
  const own = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    client.call(method, `/api/vaults/${vault.id}/content/${path}`, { headers })
  const shown = `/api/public/vaults/${client.accountId}/${vault.slug}/content`
  return { ...client, vault, store, own, shown }
}

describe('a file at a path', () => {
  it('is readable in every state, with ranges, conditions, and the headers of public reads', async () => {
    const client = await owner()
    const file = await client.store('2026/é/a b.txt', '0123456789')
    const path = '2026/e%CC%81/a%20b.txt'
    const byId = await visit(`/api/public/files/${file.id}`)
    const checkAll = async () => {
      for (const read of [
        client.own,
        (at: string, headers = {}, method = 'GET') => visit(`${client.shown}/${at}`, { headers, method }),
      ]) {
        const whole = await read(path)
        expect([whole.status, whole.bytes.toString(), whole.headers.get('etag')]).toEqual([
          200,
          '0123456789',
          `"${file.id}"`,
        ])
        const names = ['content-type', 'content-disposition', 'content-security-policy', 'x-content-type-options', 'cross-origin-resource-policy', 'accept-ranges', 'last-modified', 'content-length'] // biome-ignore format: one list
        for (const name of names) expect(whole.headers.get(name), name).toBe(byId.headers.get(name))
        const part = await read(path, { range: 'bytes=2-3' })
        expect([part.status, part.bytes.toString(), part.headers.get('content-range')]).toEqual([
          206,
          '23',
          'bytes 2-3/10',
        ])
        expect((await read(path, { range: 'bytes=10-' })).status).toBe(416)
        expect((await read(path, { 'if-none-match': `"${file.id}"` })).status).toBe(304)
        expect(await read(path, {}, 'HEAD')).toMatchObject({ status: 200, bytes: Buffer.alloc(0) })
        expect((await read('2026%2F%C3%A9%2Fa%20b.txt')).status).toBe(200)
      }
    }
    await checkAll()
    expect((await client.own(path)).headers.get('cache-control')).toBe('private, no-cache')
    expect((await visit(`${client.shown}/${path}`)).headers.get('cache-control')).toBe('public, max-age=60')
    await makeCold(t, file.id)
    await checkAll()
  })

  it('has a URL with ?download, which works without credentials', async () => {
    const client = await owner('private')
    const file = await client.store('x/sealed', 'sealed bytes')
    for (const source of ['hot', 'network']) {
      for (const query of ['download', 'download=true']) {
        const { status, body } = await client.own(`x/sealed?${query}`)
        expect([status, body]).toMatchObject([200, { source, expiresAt: expect.any(String) }])
        const url = new URL(body.downloadUrl)
        const opened =
          source === 'hot' ? await (await fetch(url)).text() : (await visit(url.pathname + url.search)).bytes.toString()
        expect(opened).toBe('sealed bytes')
      }
      await makeCold(t, file.id)
    }
    expect((await client.own('x/sealed?download=false')).bytes.toString()).toBe('sealed bytes')
    expect((await client.own('x/sealed?download=yes')).status).toBe(400)
  })

  it('is the last one that was uploaded, swapped, or moved there, but never an unconfirmed upload', async () => {
    const client = await owner()
    const reads = async () => {
      const [own, shown] = [await client.own('a/b'), await visit(`${client.shown}/a/b`)]
      expect(own.bytes.equals(shown.bytes)).toBe(true)
      return own.bytes.toString()
    }
    const first = await client.store('a/b', '1')
    await client.store('a/b', '2')
    const upload = { vaultId: client.vault.id, path: 'a/b', mimeType: 'text/plain', sizeBytes: 1 }
    await client.call('POST', '/api/files/upload', { json: upload })
    expect(await reads()).toBe('2')
    const third = await client.store('a/b', '3', { onConflict: 'replace' })
    expect(await reads()).toBe('3')
    await client.call('POST', `/api/files/${third.replaces}/restore`)
    expect(await reads()).toBe('2')
    await client.call('PATCH', `/api/files/${first.id}`, { json: { path: 'else/where' } })
    await client.call('PATCH', `/api/files/${first.id}`, { json: { path: 'a/b' } })
    expect(await reads()).toBe('1')
    await client.call('DELETE', `/api/files/${first.id}`)
    expect(await reads()).toBe('2')
  })

  it('stays readable while concurrent uploads replace it', async () => {
    const client = await owner()
    await client.store('a/b', '0')
    let isWriting = true
    const readOn = async () => {
      const seen = new Set<number>()
      while (isWriting) {
        seen.add((await client.own('a/b', {}, 'HEAD')).status)
        seen.add((await visit(`${client.shown}/a/b`, { method: 'HEAD' })).status)
      }
      return seen
    }
    const reading = [readOn(), readOn()]
    const writeOn = async (writer: number) => {
      for (let round = 0; round < 6; round += 1) await client.store('a/b', String(writer), { onConflict: 'replace' })
    }
    await Promise.all([writeOn(1), writeOn(2)])
    isWriting = false
    expect(await Promise.all(reading)).toEqual([new Set([200]), new Set([200])])
  })
})

it('returns the same 404 for missing files and files that the caller may not read', async () => {
  const [client, secret, stranger] = [await owner(), await owner('private'), clientOf(t)]
  await client.store('a/b', 'x')
  await secret.store('a/b', 'x')
  expect((await client.requestUpload({ vaultId: client.vault.id, name: 'open', sizeBytes: 1 })).status).toBe(201)
  const thrownAway = await client.store('gone', 'x')
  await client.call('DELETE', `/api/files/${thrownAway.id}`)
  const unknown = await visit('/api/public/files/00000000-0000-0000-0000-000000000000')
  const paths = ['nothing', 'A/b', 'a', 'a/', '/a/b', 'a//b', 'a%00b', 'open', 'gone', 'x'.repeat(5000), '']
  for (const path of paths) {
    for (const answer of [await client.own(path), await visit(`${client.shown}/${path}`)]) {
      expect([answer.status, answer.bytes.toString()], path).toEqual([404, unknown.bytes.toString()])
    }
  }
  const foreign = await stranger.call('GET', `/api/vaults/${client.vault.id}/content/a/b`)
  const hidden = await visit(`${secret.shown}/a/b`)
  for (const answer of [foreign, hidden]) expect([answer.status, answer.bytes]).toEqual([404, unknown.bytes])
  await client.call('DELETE', `/api/vaults/${client.vault.id}?force=true`)
  expect((await client.own('a/b')).status).toBe(404)
  expect((await visit(`${client.shown}/a/b`)).status).toBe(404)
})
