import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { insertFiles, type Limits, limitedKey, visitorOf } from '../client.ts'
import { makeSynced } from '../later-states.ts'
import { ownerOfMany } from '../owner-of-many.ts'
import { asBrowser, asProgram, openerOf } from '../visitor.ts'

const t = sharedBundle({ logLevel: 'error' })

const bounds = { maxFiles: 100, maxFileBytes: 1000, maxBytes: 10_000 }
type Placed = { path: string }
const pathsOf = ({ folders = [], files }: { folders?: Placed[]; files: Placed[] }) =>
  [...folders, ...files].map(({ path }) => path).toSorted()

/** An owner with an upload link into `in/` of a public vault, and functions that read the vault as the public. */
async function ownerWithInbox(received?: 'review' | 'publish') {
  const owner = await ownerOfMany(t)
  const { vaultId } = owner
  const vault = (await owner.call('GET', `/api/vaults/${vaultId}`)).body
  const shareFolder = async (json: object) => (await owner.call('POST', `/api/vaults/${vaultId}/links`, { json })).body
  const link = await shareFolder({ prefix: 'in/', upload: { ...bounds, ...(received && { received }) } })
  /** Sends a file through the link, and returns the owner's view of it. */
  const receive = async (name: string, bytes = name) => {
    const known = new Set((await inbox()).map(({ id }: { id: string }) => id))
    const { pathname } = new URL(`${link.contentUrl}${name}`)
    const { status } = await visit(pathname, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: bytes })
    if (status !== 201) throw new Error(`Not received: ${status}`)
    return (await inbox()).find(({ id }: { id: string }) => !known.has(id))
  }
  const inbox = async () => (await owner.call('GET', `/api/files?vaultId=${vaultId}`)).body.files
  const visit = visitorOf(t)
  const publicUrl = (slug = vault.slug) => `/api/public/vaults/${owner.accountId}/${slug}`
  const list = async (query = '', slug = vault.slug) => pathsOf((await visit(`${publicUrl(slug)}${query}`)).body)
  return { ...owner, vault, link, shareFolder, receive, visit, publicUrl, list }
}

type Inbox = Awaited<ReturnType<typeof ownerWithInbox>>

/** The statuses of all ways in which the public reads the bytes of a file. */
async function publicReads({ visit, publicUrl }: Inbox, { id, path }: { id: string; path: string }, blobId?: string) {
  const urls = [`/api/public/files/${id}`, `${publicUrl()}/content/${path}`]
  if (blobId !== undefined) urls.push(`/api/public/blobs/${blobId}`)
  const asked = urls.flatMap((url) => [
    visit(url),
    visit(url, { method: 'HEAD' }),
    visit(url, { headers: { range: 'bytes=0-0' } }),
    visit(url, { headers: { 'if-none-match': '*' } }),
  ])
  return (await Promise.all(asked)).map(({ status }) => status)
}

const listings = ['', '?sortBy=name', '?sortBy=path', '?prefix=in/', '?delimiter=/', '?delimiter=/&prefix=in/', '?delimiter=/&order=desc'] // biome-ignore format: one list

describe('a file that an upload link received', () => {
  it('is hidden from every public list and read until its owner publishes it', async () => {
    const owner = await ownerWithInbox()
    expect(owner.link.upload.received).toBe('review')
    await owner.send('mine')
    const file = await owner.receive('theirs')
    expect(file).toMatchObject({ awaitingReview: true, status: 'hot' })
    const blobId = await makeSynced(t, file.id)
    for (const query of listings) {
      const seen = query.includes('prefix=in/') ? [] : ['mine']
      expect(await owner.list(query), query).toEqual(seen)
    }
    expect(new Set(await publicReads(owner, file, blobId))).toEqual(new Set([404]))
    const missing = await owner.visit('/api/public/files/01890a5d-ac96-774b-bcce-b302099a8057')
    expect((await owner.visit(`/api/public/files/${file.id}`)).bytes).toEqual(missing.bytes)

    expect((await owner.call('GET', `/api/vaults/${owner.vaultId}/content/${file.path}`)).bytes.toString()).toBe('theirs') // biome-ignore format: one claim
    expect((await owner.call('GET', `/api/files/${file.id}/download`)).status).toBe(200)

    const published = await owner.many('publish', { ids: [file.id] })
    expect(published.body).toEqual({ results: [{ fileId: file.id, code: null }], job: null })
    expect((await owner.call('GET', `/api/files/${file.id}`)).body.awaitingReview).toBe(false)
    for (const query of listings) {
      const inside = query.includes('delimiter') && !query.includes('prefix') ? 'in/' : file.path
      const seen = query.includes('prefix=in/') ? [inside] : [inside, 'mine'].toSorted()
      expect(await owner.list(query), query).toEqual(seen)
    }
    expect(await publicReads(owner, file, blobId)).toEqual([200, 200, 206, 304, 200, 200, 206, 304, 200, 200, 206, 304])
    const { headers } = await owner.visit(`/api/public/files/${file.id}`)
    expect(headers.get('cache-control')).toBe('public, max-age=60')
  })

  it('is skipped by a read of its blob ID in favor of a public file with the same bytes', async () => {
    const owner = await ownerWithInbox()
    const received = await owner.receive('same', 'hello')
    const blobId = await makeSynced(t, received.id)
    expect((await owner.visit(`/api/public/blobs/${blobId}`)).status).toBe(404)
    const mine = await owner.hotFile('hello', { vaultId: owner.vaultId, name: 'mine.png' })
    expect(await makeSynced(t, mine.id)).toBe(blobId)
    const answer = await owner.visit(`/api/public/blobs/${blobId}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  })

  it('neither replaces nor hides a public file at the same path', async () => {
    const owner = await ownerWithInbox()
    const received = await owner.receive('theirs')
    await owner.send('in/mine')
    await owner.call('PATCH', `/api/files/${received.id}`, { json: { path: 'in/mine' } })
    const reading = await owner.shareFolder({ prefix: 'in/' })
    const texts = async () => [
      (await owner.visit(`${owner.publicUrl()}/content/in/mine`)).bytes.toString(),
      (await openerOf(t)(`${reading.contentUrl}mine`)).bytes.toString(),
    ]
    expect(await texts()).toEqual(['hello', 'hello'])
    expect(await owner.list('?sortBy=path')).toEqual(['in/mine'])
    await owner.many('publish', { ids: [received.id] })
    expect(await texts()).toEqual(['theirs', 'theirs'])
  })

  it('is absent from folder links until its publication, but readable through a link to the file', async () => {
    const owner = await ownerWithInbox()
    const received = await owner.receive('theirs')
    const reading = await owner.shareFolder({ prefix: '' })
    const open = openerOf(t)
    const told = async (path: string) => pathsOf((await open(`${reading.url}${path}`, { headers: asProgram })).body)
    expect([await told(''), await told('?path=in/')]).toEqual([[], []])
    expect((await open(`${reading.url}?path=in/`, { headers: asBrowser })).bytes.toString()).not.toContain(received.name) // biome-ignore format: one claim
    expect((await open(`${reading.contentUrl}${received.path}`)).status).toBe(404)
    expect((await open(`${reading.contentUrl}${received.path}`, { method: 'HEAD' })).status).toBe(404)
    const { body: own } = await owner.call('POST', `/api/files/${received.id}/links`, { json: {} })
    expect((await open(own.contentUrl)).bytes.toString()).toBe('theirs')
    await owner.many('publish', { ids: [received.id] })
    expect([await told(''), await told('?path=in/')]).toEqual([['in/'], [received.path]])
    expect((await open(`${reading.contentUrl}${received.path}`)).bytes.toString()).toBe('theirs')
  })

  it('is public immediately if its link publishes files', async () => {
    const owner = await ownerWithInbox('publish')
    expect(owner.link.upload.received).toBe('publish')
    const file = await owner.receive('theirs')
    expect(file.awaitingReview).toBe(false)
    expect(await owner.list()).toEqual([file.path])
    expect(await publicReads(owner, file)).toEqual([200, 200, 206, 304, 200, 200, 206, 304])
  })
})

describe('a file that awaits review', () => {
  it('keeps its state when it is moved, copied, trashed, and restored', async () => {
    const owner = await ownerWithInbox()
    const { id: other, slug } = await owner.createVault('Other', 'public')
    const file = await owner.receive('theirs')
    const awaiting = async () => (await owner.call('GET', `/api/files/${file.id}`)).body.awaitingReview
    await owner.call('PATCH', `/api/files/${file.id}`, { json: { path: 'out/a', tags: ['x'], expiresAt: null } })
    await owner.send('out/b')
    await owner.call('PATCH', `/api/files/${file.id}`, { json: { path: 'out/b', onConflict: 'replace' } })
    await owner.many('move', { ids: [file.id], to: 'later/' })
    await owner.job('move', { prefix: 'later/', to: 'z/' })
    expect(await awaiting()).toBe(true)
    expect(await owner.job('copy', { ids: [file.id], to: '', toVaultId: other })).toMatchObject({ done: 1 })
    expect(await owner.job('copy', { prefix: 'z/', to: 'y/' })).toMatchObject({ done: 1 })
    expect([await owner.list(), await owner.list('', slug)]).toEqual([[], []])
    await owner.call('PATCH', `/api/files/${file.id}`, { json: { vaultId: other } })
    await owner.many('trash', { ids: [file.id] })
    await owner.call('DELETE', `/api/files/${file.id}`)
    await owner.call('POST', `/api/files/${file.id}/restore`)
    await owner.call('DELETE', `/api/vaults/${other}`)
    await owner.call('POST', `/api/vaults/${other}/restore`)
    expect(await awaiting()).toBe(true)
    expect(await owner.list('', slug)).toEqual([])
    const { body } = await owner.call('GET', '/api/files?awaitingReview=true')
    expect(pathsOf(body)).toEqual(['b', 'y/b', 'z/b'])
  })

  it('keeps its state when it swaps back with the file that replaced it', async () => {
    const owner = await ownerWithInbox()
    const file = await owner.receive('theirs')
    await owner.send(file.path, 'replace')
    expect((await owner.visit(`${owner.publicUrl()}/content/${file.path}`)).bytes.toString()).toBe('hello')
    const restored = await owner.call('POST', `/api/files/${file.id}/restore`)
    expect(restored.body).toMatchObject({ awaitingReview: true, deletedAt: null })
    expect(await publicReads(owner, file)).toEqual(Array(8).fill(404))
  })

  it('is also created by an upload request with awaitingReview, as imports send it', async () => {
    const owner = await ownerWithInbox()
    const file = await owner.hotFile('mine', { vaultId: owner.vaultId, awaitingReview: true })
    expect(file.awaitingReview).toBe(true)
    expect(await owner.list()).toEqual([])
    const manifest = (await owner.call('GET', '/api/account/manifest')).bytes.toString().split('\n')
    expect(manifest.some((line) => line.includes(`"id":"${file.id}"`) && line.includes('"awaitingReview":true'))).toBe(true) // biome-ignore format: one claim
  })

  it('matches the list filter, with other filters and in every order', async () => {
    const owner = await ownerWithInbox()
    await owner.send('in/mine')
    const [a, b] = [await owner.receive('a.txt'), await owner.receive('b.txt')]
    const find = async (query: string) =>
      (await owner.call('GET', `/api/files?${query}`)).body.files.map(({ id }: { id: string }) => id)
    const ofVault = `awaitingReview=true&vaultId=${owner.vaultId}`
    expect(await find('awaitingReview=true')).toEqual([b.id, a.id])
    expect(await find('awaitingReview=true&mimeType=text/*&status=hot&order=asc')).toEqual([a.id, b.id])
    for (const query of ['sortBy=name&order=asc', 'prefix=in/', 'prefix=in/&delimiter=/', 'sortBy=path']) {
      expect(await find(`${ofVault}&${query}`), query).toEqual([a.id, b.id])
    }
    expect(await find('awaitingReview=false')).toHaveLength(1)
    await owner.many('trash', { ids: [a.id] })
    expect(await find('awaitingReview=true&trashed=true')).toEqual([a.id])
    expect((await owner.call('GET', '/api/files?awaitingReview=1')).status).toBe(400)
  })

  it('is found and hidden with bounded work among thousands of files', async () => {
    const owner = await ownerWithInbox()
    const file = await owner.receive('a')
    const fill = (folder: string, awaiting: boolean) =>
      insertFiles(t, owner, 2500, {
        ...{ folder: `'${folder}'`, name: `'f' || n`, status: `'hot'`, hot_key: `''` },
        ...{ awaiting_review: String(awaiting), created_at: `now() - n * interval '1 s'` },
      })
    await fill('mine/', false)
    await t.database.sql(`update file set created_at = now() - interval '1 day' where id = $1`, [file.id])
    for (const query of ['', `&vaultId=${owner.vaultId}`, `&vaultId=${owner.vaultId}&sortBy=path&order=desc`]) {
      const { body } = await owner.call('GET', `/api/files?awaitingReview=true${query}`)
      expect([pathsOf(body), body.nextCursor], query).toEqual([[file.path], null])
    }
    await t.database.sql(`delete from file where folder = 'mine/'`)
    await fill('in/', true)
    await owner.send('z/mine')
    await t.database.sql(`update file set created_at = now() - interval '1 day' where path = 'z/mine'`)
    for (const query of ['sortBy=createdAt', 'sortBy=path', 'delimiter=/']) {
      const first = (await owner.visit(`${owner.publicUrl()}?${query}`)).body
      expect(pathsOf(first), query).toEqual([])
      const second = (await owner.visit(`${owner.publicUrl()}?${query}&cursor=${first.nextCursor}`)).body
      expect([pathsOf(second), second.nextCursor], query).toEqual([[query === 'delimiter=/' ? 'z/' : 'z/mine'], null])
    }
  })
})

describe('publishing', () => {
  it('runs as a job for a folder and counts only the files that it published', async () => {
    const owner = await ownerWithInbox()
    await owner.send('in/mine')
    const [a, b] = [await owner.receive('a'), await owner.receive('b')]
    await owner.call('PATCH', `/api/files/${b.id}`, { json: { path: 'kept/b' } })
    expect(await owner.job('publish', { prefix: 'in/' })).toMatchObject({ kind: 'publish', state: 'done', done: 1, failed: 0 }) // biome-ignore format: one claim
    expect(await owner.list()).toEqual([a.path, 'in/mine'].toSorted())
    expect(await owner.job('publish', { prefix: '' })).toMatchObject({ done: 1, failed: 0 })
    expect(await owner.list()).toHaveLength(3)
  })

  it('returns an outcome for each file, is logged once, and sends no webhook', async () => {
    const owner = await ownerWithInbox()
    const file = await owner.receive('a')
    const stranger = await ownerWithInbox()
    const foreign = await stranger.receive('b')
    const open = (await owner.requestUpload({ sizeBytes: 5, vaultId: owner.vaultId })).body.fileId
    const trashed = await owner.receive('c')
    await owner.call('DELETE', `/api/files/${trashed.id}`)
    const ids = [file.id, foreign.id, open, trashed.id, 'none']
    for (const _ of [1, 2]) {
      const { body } = await owner.many('publish', { ids })
      const codes = body.results.map(({ code }: { code: string | null }) => code)
      expect(codes).toEqual([null, 'not_found', 'upload_not_confirmed', 'not_found', 'not_found'])
    }
    expect(await stranger.list()).toEqual([])
    expect((await stranger.call('GET', `/api/files/${foreign.id}`)).body.awaitingReview).toBe(true)
    const { body } = await owner.call('GET', '/api/account/file-events?kind=file.published')
    expect(body.events).toMatchObject([{ kind: 'file.published', actor: { method: 'api_key' } }])
    const events = await t.database.sql('select is_public from event where type = $1', ['file.published'])
    expect(events.every((event) => event.is_public === false)).toBe(true)
  })

  it('requires a key with the verb change, within its vaults and prefixes', async () => {
    const owner = await ownerWithInbox()
    const file = await owner.receive('a')
    const publish = async (limits: Limits, json: object = { ids: [file.id] }) => {
      const { status, body } = await limitedKey(t, owner, limits).call('POST', `/api/vaults/${owner.vaultId}/publish`, {
        json,
      })
      return status === 200 && body.results ? body.results[0].code : status
    }
    expect(await publish({ verbs: ['read', 'upload', 'delete', 'share'] })).toBe(403)
    expect(await publish({ vaultIds: [] })).toBe(404)
    expect(await publish({ prefixes: ['out/'] })).toBe('not_found')
    expect(await publish({ prefixes: ['out/'] }, { prefix: 'in/' })).toBe(403)
    expect(await owner.list()).toEqual([])
    expect(await publish({ verbs: ['change'], prefixes: ['in/'] })).toBe(null)
    expect(await owner.list()).toEqual([file.path])
  })
})
