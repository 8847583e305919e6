import { deleteExpiredRows } from '@tideport/file-lifecycle/removal/delete-expired-rows'
import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { clientOf, encryption, type Limits, limitedKey } from '../client.ts'
import { makeCold } from '../later-states.ts'
import { asBrowser, asProgram, openerOf, ownerWithFile } from '../visitor.ts'

const t = sharedBundle({ logLevel: 'info' })

const tokenOf = (url: string) => url.split('/').at(-1) as string
const nobodys = `/s/${'A'.repeat(32)}`

describe('a link to a file', () => {
  it('is shown once, listed, and readable by any visitor as a page, JSON, or bytes', async () => {
    const owner = await ownerWithFile(t)
    const link = await owner.share({ expiresInSeconds: 3600 })
    expect(link).toMatchObject({
      kind: 'file',
      fileId: owner.file.id,
      state: 'usable',
      downloads: 0,
      hasPassword: false,
      url: expect.stringMatching(/^https:\/\/files\.example\/s\/[\w-]{32}$/),
      contentUrl: `${link.url}/content`,
    })
    const { url, contentUrl, ...listed } = link
    for (const path of [`/api/files/${owner.file.id}/links`, '/api/links']) {
      expect((await owner.call('GET', path)).body).toEqual({ links: [listed], nextCursor: null })
    }
    const open = openerOf(t)
    const page = await open(url, { headers: asBrowser })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.bytes.toString()).toContain('<bdi>a.txt</bdi>')
    const told = await open(url, { headers: asProgram })
    expect(told.body).toMatchObject({
      kind: 'file',
      name: 'a.txt',
      isEncrypted: false,
      downloadsLeft: null,
      files: [{ path: 'a.txt', mimeType: 'text/plain', sizeBytes: 10 }],
    })
    expect(JSON.stringify(told.body)).not.toContain(owner.file.id)
    const bytes = await open(contentUrl)
    expect([bytes.status, bytes.bytes.toString()]).toEqual([200, '0123456789'])
    expect(await owner.stateOf(link.id)).toMatchObject({ downloads: 1, lastUsedAt: expect.any(String) })
  })

  it('returns headers against caching, referrers, and scripts in every state of the file', async () => {
    const owner = await ownerWithFile(t, { name: 'a.html', mimeType: 'text/html' })
    const { url, contentUrl } = await owner.share()
    const open = openerOf(t)
    const checkAll = async () => {
      for (const answer of [await open(url, { headers: asBrowser }), await open(contentUrl), await open(nobodys)]) {
        expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
        expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow')
      }
      const { headers } = await open(contentUrl)
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-disposition')).toBe('attachment; filename=a.html')
      expect(headers.get('etag')).not.toContain(owner.file.id)
    }
    await checkAll()
    await makeCold(t, owner.file.id)
    await checkAll()
  })

  it('escapes names, and reveals neither folder nor vault of the file', async () => {
    const name = `<script>alert(1)</script>"'&.txt`
    const owner = await ownerWithFile(t, { name: undefined, path: `secret-folder/${name.replace('/', '')}` })
    const { url } = await owner.share()
    const page = (await openerOf(t)(url, { headers: asBrowser })).bytes.toString()
    expect(page).not.toMatch(/<script/i)
    expect(page).not.toContain('secret-folder')
    expect((await openerOf(t)(url, { headers: asProgram })).bytes.toString()).not.toContain('secret-folder')
  })

  it('returns the same 404 if unknown, revoked, expired, used up, or without its file or vault', async () => {
    const owner = await ownerWithFile(t)
    const vault = await owner.createVault('Gone', 'public')
    const [revoked, over, spent, trashed] = [
      await owner.share(),
      await owner.share({ expiresInSeconds: 60 }),
      await owner.share({ maxDownloads: 1 }),
      await owner.share(),
    ]
    const open = openerOf(t)
    expect((await open(spent.contentUrl)).status).toBe(200)
    expect((await owner.call('DELETE', `/api/links/${revoked.id}`)).body).toMatchObject({ state: 'revoked' })
    await t.database.sql(`update link set expires_at = now() where id = '${over.id}'`)
    expect(await owner.stateOf(over.id)).toMatchObject({ state: 'expired' })
    expect(await owner.stateOf(spent.id)).toMatchObject({ state: 'spent' })

    const unknown = { page: await open(nobodys, { headers: asBrowser }), bytes: await open(`${nobodys}/content`) }
    expect([unknown.page.status, unknown.bytes.body]).toEqual([404, { error: 'Not found', code: 'not_found' }])
    const isGone = async (url: string) => {
      const visitor = openerOf(t)
      const page = await visitor(url, { headers: asBrowser })
      expect([page.status, page.bytes.toString()]).toEqual([404, unknown.page.bytes.toString()])
      for (const path of ['', '/content', '/content/a.txt']) {
        const answer = await visitor(url + path)
        expect([answer.status, answer.bytes.toString()], path).toEqual([404, unknown.bytes.bytes.toString()])
      }
      expect((await visitor(url, { form: { password: 'whatever' } })).status).toBe(404)
    }
    for (const { url } of [revoked, over, spent]) await isGone(url)
    for (const token of ['x', `${'A'.repeat(31)}!`, 'A'.repeat(300), '%00', '..%2f..']) await isGone(`/s/${token}`)

    await owner.call('DELETE', `/api/files/${owner.file.id}`)
    await isGone(trashed.url)
    await owner.call('POST', `/api/files/${owner.file.id}/restore`)
    expect((await open(trashed.contentUrl)).status).toBe(200)
    await owner.call('PATCH', `/api/files/${owner.file.id}`, { json: { vaultId: vault.id, name: 'moved.txt' } })
    expect((await open(trashed.url, { headers: asProgram })).body).toMatchObject({ name: 'moved.txt' })
    await owner.call('DELETE', `/api/vaults/${vault.id}?force=true`)
    await isGone(trashed.url)
  })

  it('does not open a file that replaces its file, or an unconfirmed upload', async () => {
    const owner = await ownerWithFile(t)
    const { contentUrl } = await owner.share()
    await owner.hotFile('newer', { vaultId: owner.file.vaultId, name: 'a.txt', onConflict: 'replace' })
    expect((await openerOf(t)(contentUrl)).status).toBe(404)
    const open = await owner.requestUpload({ vaultId: owner.file.vaultId, sizeBytes: 1 })
    const { body: early } = await owner.call('POST', `/api/files/${open.body.fileId}/links`, { json: {} })
    expect((await openerOf(t)(early.contentUrl)).status).toBe(404)
  })

  it('of a private vault serves encrypted bytes, never inline, and states this', async () => {
    const owner = clientOf(t)
    const vault = await owner.createVault('Sealed', 'private')
    const file = await owner.hotFile('sealed', { vaultId: vault.id, mimeType: 'image/png', ...encryption })
    const { body: link } = await owner.call('POST', `/api/files/${file.id}/links`, { json: {} })
    const open = openerOf(t)
    const page = (await open(link.url, { headers: asBrowser })).bytes.toString()
    expect(page).toContain('The owner encrypted this file')
    expect(page).not.toContain('<img')
    const told = (await open(link.url, { headers: asProgram })).body
    expect(told).toMatchObject({ isEncrypted: true, files: [{ encryptionIv: encryption.encryptionIv }] })
    expect(JSON.stringify(told)).not.toContain(encryption.wrappedKey)
    const bytes = await open(link.contentUrl)
    expect(bytes.bytes.toString()).toBe('sealed')
    expect(bytes.headers.get('content-type')).toBe('application/octet-stream')
    expect(bytes.headers.get('content-disposition')).toMatch(/^attachment/)
  })
})

describe('the owner of links', () => {
  it('finds the creation and revocation of links with their actors in the log', async () => {
    const owner = await ownerWithFile(t)
    const link = await owner.share({ password: 'open sesame', maxDownloads: 3 })
    await owner.call('DELETE', `/api/links/${link.id}`)
    await owner.call('DELETE', `/api/links/${link.id}`)
    const { body } = await owner.call('GET', `/api/account/file-events?subjectId=${owner.file.id}`)
    const [revoked, created] = body.events
    expect([revoked.kind, created.kind]).toEqual(['link.revoked', 'link.created'])
    expect(created.details).toMatchObject({ linkId: link.id, hasPassword: true, maxDownloads: 3 })
    expect(created.actor.method).toBe('api_key')
    const timeline = (await owner.call('GET', `/api/files/${owner.file.id}/timeline`)).bytes.toString()
    expect(timeline).toContain('link.created')
  })

  it('gets an error for invalid terms', async () => {
    const owner = await ownerWithFile(t)
    for (const terms of [
      { password: 'short' },
      { password: 'x'.repeat(257) },
      { expiresInSeconds: 59 },
      { expiresInSeconds: 1e12 },
      { maxDownloads: 0 },
      { maxDownloads: 1.5 },
    ]) {
      const { status } = await owner.call('POST', `/api/files/${owner.file.id}/links`, { json: terms })
      expect(status, JSON.stringify(terms)).toBe(400)
    }
  })

  it('needs a key with the rights that the link grants, and without limits that it would bypass', async () => {
    const owner = await ownerWithFile(t)
    const keyId = newAccount()
    const make = async (limits: Limits) => {
      const key = limitedKey(t, owner, limits, keyId)
      const { status, body } = await key.call('POST', `/api/files/${owner.file.id}/links`, { json: {} })
      return [status, body.details]
    }
    expect(await make({ verbs: ['read', 'upload', 'change', 'delete'] })).toEqual([403, { limit: 'verbs', requiredVerb: 'share' }]) // biome-ignore format: one pair
    expect(await make({ verbs: ['share'] })).toEqual([403, { limit: 'verbs', requiredVerb: 'read' }])
    expect(await make({ budgets: [{ id: keyId, bytesPerDay: 1e9 }] })).toEqual([403, { limit: 'bytesPerDay' }])
    expect((await make({ vaultIds: [newAccount()] }))[0]).toBe(404)
    expect((await make({ prefixes: ['a'] }))[0]).toBe(403)
    expect((await make({ verbs: ['share', 'read'], vaultIds: [owner.file.vaultId] }))[0]).toBe(201)
    const { body } = await owner.call('GET', `/api/links?keyId=${keyId}`)
    expect(body.links).toMatchObject([{ keyId }])
    const confined = limitedKey(t, owner, { vaultIds: [newAccount()] }, keyId)
    for (const method of ['GET', 'DELETE']) {
      expect((await confined.call(method, `/api/links/${body.links[0].id}`)).status).toBe(404)
    }
    expect((await confined.call('GET', '/api/links')).status).toBe(403)
  })

  it('gets lists in pages, without links that expired a week ago', async () => {
    const owner = await ownerWithFile(t)
    const made: string[] = []
    for (let link = 0; link < 3; link += 1) made.push((await owner.share()).id)
    const first = await owner.call('GET', `/api/files/${owner.file.id}/links?limit=2`)
    const rest = await owner.call('GET', `/api/files/${owner.file.id}/links?limit=2&cursor=${first.body.nextCursor}`)
    const ids = [...first.body.links, ...rest.body.links].map(({ id }: { id: string }) => id)
    expect(ids).toEqual(made.toReversed())
    await t.database.sql(`update link set revoked_at = now() - interval '8 days' where id = '${made[0]}'`)
    await deleteExpiredRows({ ...t, accountJobRetentionSeconds: 60, auditRetentionSeconds: 60 })
    expect((await owner.call('GET', `/api/links/${made[0]}`)).status).toBe(404)
    expect((await owner.call('GET', `/api/files/${owner.file.id}/links`)).body.links).toHaveLength(2)
  })
})

it('a token is never stored or logged', async () => {
  const owner = await ownerWithFile(t)
  const link = await owner.share({ password: 'open sesame' })
  const token = tokenOf(link.url)
  const open = openerOf(t)
  await open(link.url, { form: { password: 'open sesame' } })
  for (const url of [link.url, link.contentUrl]) await open(url, { headers: asBrowser })
  const rows = await t.database.sql('select to_jsonb(link)::text as row from link union all select to_jsonb(event)::text from event') // biome-ignore format: one statement
  const everything = JSON.stringify([rows, t.lines, (await t.metrics.render()).text])
  expect(t.lines.some(({ route }) => route === '/s/:token')).toBe(true)
  for (const secret of [token, 'open sesame']) expect(everything).not.toContain(secret)
})
