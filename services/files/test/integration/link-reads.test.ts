import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { asBrowser, asProgram, openerOf, ownerWithFile } from '../visitor.ts'

const t = sharedBundle()

describe('downloads', () => {
  it('are counted if they begin at byte 0, unlike pages, previews, HEAD, 304, 416, and later ranges', async () => {
    const owner = await ownerWithFile(t, { mimeType: 'image/png' })
    const link = await owner.share()
    const open = openerOf(t)
    const count = async () => (await owner.stateOf(link.id)).downloads
    for (const headers of [asBrowser, asProgram]) await open(link.url, { headers })
    await open(link.contentUrl, { method: 'HEAD' })
    const { headers } = await open(`${link.contentUrl}?preview`)
    expect((await open(link.contentUrl, { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status).toBe(304)
    expect((await open(link.contentUrl, { headers: { range: 'bytes=10-' } })).status).toBe(416)
    expect((await open(link.contentUrl, { headers: { range: 'bytes=4-' } })).bytes.toString()).toBe('456789')
    expect(await count()).toBe(0)
    expect((await open(link.contentUrl, { headers: { range: 'bytes=0-3' } })).status).toBe(206)
    await open(link.contentUrl)
    expect(await count()).toBe(2)
  })

  it('with a limit are counted for each request, except resumes of a counted download', async () => {
    const owner = await ownerWithFile(t, { mimeType: 'image/png' })
    const link = await owner.share({ maxDownloads: 2 })
    const [first, other] = [openerOf(t), openerOf(t)]
    expect((await first(link.url, { headers: asBrowser })).bytes.toString()).not.toContain('<img')
    expect((await first(link.contentUrl, { headers: { range: 'bytes=0-3' } })).status).toBe(206)
    expect((await first(link.contentUrl, { headers: { range: 'bytes=4-' } })).bytes.toString()).toBe('456789')
    expect((await owner.stateOf(link.id)).downloads).toBe(1)
    // A range after the first byte counts, even as a preview.
    expect((await other(`${link.contentUrl}?preview`, { headers: { range: 'bytes=1-' } })).status).toBe(206)
    expect(await owner.stateOf(link.id)).toMatchObject({ downloads: 2, state: 'spent' })
    expect((await openerOf(t)(link.contentUrl, { headers: { range: 'bytes=1-' } })).status).toBe(404)
    for (const visitor of [first, other]) {
      expect((await visitor(link.contentUrl)).status).toBe(404)
      expect((await visitor(link.contentUrl, { headers: { range: 'bytes=5-' } })).status).toBe(206)
    }
    await owner.call('DELETE', `/api/links/${link.id}`)
    expect((await first(link.contentUrl, { headers: { range: 'bytes=5-' } })).status).toBe(404)
  })

  it('of concurrent visitors reach the limit of the link and never exceed it', async () => {
    const owner = await ownerWithFile(t)
    const link = await owner.share({ maxDownloads: 7 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => openerOf(t)(link.contentUrl)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(33)
    expect(await owner.stateOf(link.id)).toMatchObject({ downloads: 7, state: 'spent' })
  })

  it('that cannot begin are not counted', async () => {
    const owner = await ownerWithFile(t)
    const link = await owner.share({ maxDownloads: 1 })
    await t.database.sql(`update file set hot_key = 'hot/nothing' where id = '${owner.file.id}'`)
    const refused = await openerOf(t)(link.contentUrl)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([404, null])
    expect(await owner.stateOf(link.id)).toMatchObject({ downloads: 0, state: 'usable' })
  })
})

async function ownerWithFolders(paths: readonly string[]) {
  const owner = clientOf(t)
  const vault = await owner.createVault('Vault of it', 'public')
  const store = (path: string, bytes = path) =>
    owner.hotFile(bytes, { vaultId: vault.id, name: undefined, path, mimeType: 'text/plain' })
  for (const path of paths) await store(path)
  const share = async (prefix: string, terms: object = {}) => {
    const { status, body } = await owner.call('POST', `/api/vaults/${vault.id}/links`, { json: { prefix, ...terms } })
    if (status !== 201) throw new Error(`No link: ${status} ${JSON.stringify(body)}`)
    return body
  }
  return { ...owner, vault, store, share }
}

type Told = { files: { path: string }[]; folders: { path: string }[]; nextCursor: string | null }
const tell = async (url: string): Promise<Told> => (await openerOf(t)(url, { headers: asProgram })).body
const pathsOf = ({ folders, files }: Told) => [...folders, ...files].map(({ path }) => path)

it('a link to a folder lists it in pages, and serves its files by their relative paths', async () => {
  const owner = await ownerWithFolders(['in/a.txt', 'in/b & c.txt', 'in/sub/d.txt', 'in/sub/deep/e.txt', 'out.txt'])
  const link = await owner.share('in/')
  expect(link).toMatchObject({ kind: 'folder', prefix: 'in/', vaultId: owner.vault.id, fileId: null })
  expect(pathsOf(await tell(link.url))).toEqual(['sub/', 'a.txt', 'b & c.txt'])
  expect(pathsOf(await tell(`${link.url}?path=sub/`))).toEqual(['sub/deep/', 'sub/d.txt'])
  const first = await tell(`${link.url}?limit=1`)
  const second = await tell(`${link.url}?limit=1&cursor=${first.nextCursor}`)
  expect([pathsOf(first), pathsOf(second)]).toEqual([['a.txt'], ['b & c.txt']])
  const page = await openerOf(t)(`${link.url}?path=sub/`, { headers: asBrowser })
  expect(page.bytes.toString()).toContain('<bdi>deep/</bdi>')
  expect(page.bytes.toString()).not.toContain('Vault of it')
  const open = openerOf(t)
  for (const [path, bytes] of [
    ['a.txt', 'in/a.txt'],
    ['b%20%26%20c.txt', 'in/b & c.txt'],
    ['sub/deep/e.txt', 'in/sub/deep/e.txt'],
    ['sub%2Fd.txt', 'in/sub/d.txt'],
  ]) {
    expect((await open(`${link.contentUrl}${path}`)).bytes.toString()).toBe(bytes)
  }
  expect((await owner.call('GET', `/api/links/${link.id}`)).body.downloads).toBe(4)
  await owner.store('in/later.txt')
  expect((await open(`${link.contentUrl}later.txt`)).status).toBe(200)
  expect((await owner.call('GET', `/api/vaults/${owner.vault.id}/links`)).body.links).toHaveLength(1)
})

it('a link to a folder never opens anything outside it, for any form of path or cursor', async () => {
  const owner = await ownerWithFolders(['a/in.txt', 'ab/x.txt', 'A/in2.txt', 'a.txt', 'é/ü.txt', 'b', '0/before.txt'])
  const link = await owner.share('a/')
  const outside = ['../ab/x.txt', '..%2fab%2fx.txt', '%2e%2e/ab/x.txt', '%252e%252e/ab/x.txt', './in.txt', '/in.txt', '%2Fin.txt', 'in.txt/', '../a/in.txt', '..', '', 'IN.txt', '../b', 'in.txt%00', 'b/x.txt', '..\\ab\\x.txt'] // biome-ignore format: one list
  for (const path of outside) {
    // `fetch` resolves dots, so this request sends the path unchanged.
    expect(await raw(`${new URL(link.contentUrl).pathname}${path}`), path).toBe(404)
  }
  expect(pathsOf(await tell(link.url))).toEqual(['in.txt'])
  for (const path of ['../', '../ab/', '/', 'b/', '..%2f', './', '%00/', 'in.txt/']) {
    const { status, body } = await openerOf(t)(`${link.url}?path=${path}`, { headers: asProgram })
    expect(status === 404 || pathsOf(body).length === 0, path).toBe(true)
  }
  // A cursor of another link is invalid for this link.
  const { nextCursor } = await tell(`${(await owner.share('')).url}?limit=1`)
  const { status } = await openerOf(t)(`${link.url}?cursor=${nextCursor}`, { headers: asProgram })
  expect(status).toBe(400)

  const composed = await owner.share('e\u0301/')
  expect(composed.prefix).toBe('é/')
  for (const name of ['%C3%BC.txt', 'u%CC%88.txt']) {
    expect((await openerOf(t)(`${composed.contentUrl}${name}`)).status).toBe(200)
  }
})

it('a link to a folder requires the path of a folder, or an empty prefix for the complete vault', async () => {
  const owner = await ownerWithFolders(['a/b.txt', 'c.txt'])
  for (const prefix of ['a', '/', '../', 'a//', './a/', 'a\\', 'a\0/', undefined, 7]) {
    const { status } = await owner.call('POST', `/api/vaults/${owner.vault.id}/links`, { json: { prefix } })
    expect(status, String(prefix)).toBe(400)
  }
  const whole = await owner.share('')
  expect(pathsOf(await tell(whole.url))).toEqual(['a/', 'c.txt'])
  const page = await openerOf(t)(whole.url, { headers: asBrowser })
  expect(page.bytes.toString()).toContain('<bdi>Vault of it</bdi>')
})

it('a link to a folder hides trashed, replaced, and unconfirmed files, and closes with its vault', async () => {
  const owner = await ownerWithFolders(['f/kept.txt', 'f/gone.txt'])
  const link = await owner.share('f/')
  const { body } = await owner.call('GET', `/api/files?vaultId=${owner.vault.id}&prefix=f/gone`)
  await owner.call('DELETE', `/api/files/${body.files[0].id}`)
  await owner.requestUpload({ vaultId: owner.vault.id, name: undefined, path: 'f/coming.txt', sizeBytes: 1 })
  expect(pathsOf(await tell(link.url))).toEqual(['kept.txt'])
  // A kept folder is listed although it is empty.
  await owner.call('PUT', `/api/vaults/${owner.vault.id}/folders/f/empty`)
  expect(pathsOf(await tell(link.url))).toEqual(['empty/', 'kept.txt'])
  await owner.call('DELETE', `/api/vaults/${owner.vault.id}/folders/f/empty`)
  for (const path of ['gone.txt', 'coming.txt']) {
    expect((await openerOf(t)(`${link.contentUrl}${path}`)).status).toBe(404)
  }
  await owner.hotFile('new', { vaultId: owner.vault.id, name: undefined, path: 'f/kept.txt', onConflict: 'replace' })
  expect((await openerOf(t)(`${link.contentUrl}kept.txt`)).bytes.toString()).toBe('new')
  await owner.call('DELETE', `/api/vaults/${owner.vault.id}?force=true`)
  expect((await openerOf(t)(link.url)).status).toBe(404)
  expect((await openerOf(t)(`${link.contentUrl}kept.txt`)).status).toBe(404)
})

it('a pass for one file of a folder is not valid for another', async () => {
  const owner = await ownerWithFolders(['f/one.txt', 'f/two.txt'])
  const link = await owner.share('f/', { maxDownloads: 1 })
  const open = openerOf(t)
  expect((await open(`${link.contentUrl}one.txt`)).status).toBe(200)
  const rest = { headers: { range: 'bytes=1-' } }
  expect((await open(`${link.contentUrl}one.txt`, rest)).status).toBe(206)
  expect((await open(`${link.contentUrl}two.txt`, rest)).status).toBe(404)
})

/** Sends the path unchanged. */
async function raw(path: string): Promise<number> {
  const { hostname, port } = new URL(t.address)
  const [answer] = await once(get({ hostname, port, path, headers: await t.principalHeaders() }), 'response')
  return (answer as IncomingMessage).resume().statusCode ?? 0
}
