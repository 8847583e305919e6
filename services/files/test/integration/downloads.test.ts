import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf, encryption, put, visitorOf } from '../client.ts'
import { giveUpStoring, makeCold, makeSynced } from '../later-states.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

const update = (fileId: string, set: string) => t.database.sql(`update file set ${set} where id = $1`, [fileId])

/** What a client that follows a `downloadUrl` gets; service URLs name the public address, reached here directly. */
async function follow(downloadUrl: string): Promise<string> {
  const { host, pathname, search } = new URL(downloadUrl)
  if (host === 'files.example') return (await visitorOf(t)(pathname + search)).bytes.toString()
  return await (await fetch(downloadUrl)).text()
}

describe('GET /api/files/:fileId/download', () => {
  it('gives the same bytes in every state, whatever is PUT to the old upload URL', async () => {
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

  it('presigns with the file’s own type and name, for as long as it says', async () => {
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

  it('never presigns once eviction has begun, nor after it failed', async () => {
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

  it('answers 409 before confirm, 410 when the bytes are lost and 404 in the trash', async () => {
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

  it('streams a private cold file to whoever holds the URL, with ranges and without being cached', async () => {
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

  it('answers one 404 to a URL that is tampered with, of another file, expired, or of a file thrown away', async () => {
    const { path, fileId } = await coldPath()
    const other = await coldPath()
    const visit = visitorOf(t)
    const refused = [
      path.replace(/signature=./, (text) => (text.endsWith('A') ? 'signature=B' : 'signature=A')),
      path.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 60}`),
      path.replace(fileId, other.fileId),
      path.replace(fileId, 'nonsense'),
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
