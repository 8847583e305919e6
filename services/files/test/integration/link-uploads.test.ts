import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, limitedKey, visitorOf } from '../client.ts'
import { sendHead } from '../send-head.ts'
import { asBrowser, asProgram, openerOf } from '../visitor.ts'

const t = sharedBundle({ env: { ACCOUNT_QUOTA_BYTES: '1000' } })

const bounds = { maxFiles: 3, maxFileBytes: 100, maxBytes: 250 }

async function ownerWithInbox(upload: object = {}, terms: object = {}) {
  const owner = clientOf(t)
  const vault = await owner.createVault('Mail', 'public')
  const json = { prefix: 'in/', upload: { ...bounds, ...upload }, ...terms }
  const { status, body: link } = await owner.call('POST', `/api/vaults/${vault.id}/links`, { json })
  if (status !== 201) throw new Error(`No link: ${status} ${JSON.stringify(link)}`)
  const inbox = async () => (await owner.call('GET', `/api/files?vaultId=${vault.id}&prefix=in/`)).body.files
  const taken = async () => (await owner.call('GET', `/api/links/${link.id}`)).body.upload
  return { ...owner, vault, link, inbox, taken }
}

const send = (url: string, body: string, headers: Record<string, string> = {}, method = 'PUT') =>
  visitorOf(t)(new URL(url).pathname, {
    ...{ method, body, headers: { 'x-tideport-client-address': '192.0.2.5', ...headers } },
  })

it('a visitor uploads a file in one request and learns nothing about the folder', async () => {
  const owner = await ownerWithInbox()
  const { link } = owner
  expect(link).toMatchObject({ kind: 'upload', upload: { ...bounds, files: 0, bytes: 0, mimeTypes: null } })
  await owner.hotFile('mine', { vaultId: owner.vault.id, name: undefined, path: 'in/a.txt', mimeType: 'text/plain' })
  const sent = await send(`${link.contentUrl}a.txt`, 'theirs', { 'content-type': 'text/plain' })
  expect([sent.status, sent.body]).toEqual([
    201,
    { name: 'a.txt', sizeBytes: 6, checksumSha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(sent.headers.get('referrer-policy')).toBe('no-referrer')
  const files = await owner.inbox()
  expect(files.map(({ path }: { path: string }) => path)).toEqual([expect.stringMatching(/^in\/a-[0-9a-f]{12}\.txt$/), 'in/a.txt'].toSorted()) // biome-ignore format: one list
  const own = await owner.call('GET', `/api/vaults/${owner.vault.id}/content/in/a.txt`)
  expect(own.bytes.toString()).toBe('mine')
  const open = openerOf(t)
  for (const path of ['', 'a.txt', files[0].name, '../x']) {
    expect((await open(`${link.contentUrl}${path}`)).status, path).toBe(404)
  }
  expect((await open(link.url + '/content')).status).toBe(404)
  expect((await open(`${link.url}?path=in/`, { headers: asProgram })).status).toBe(404)
  const told = await open(link.url, { headers: asProgram })
  expect(told.body).toMatchObject({ kind: 'upload', files: [], takes: { filesLeft: 2, maxFileBytes: 100 } })
  for (const secret of ['in/', 'Mail', 'a.txt']) expect(told.bytes.toString()).not.toContain(secret)
  const { body } = await owner.call('GET', `/api/account/file-events?kind=file.hot`)
  expect(body.events[0]).toMatchObject({
    actor: { method: 'link', linkId: link.id, keyId: null },
    clientAddress: '192.0.2.5',
  })
})

it('bytes that do not match their digest are rejected and not counted', async () => {
  const owner = await ownerWithInbox()
  const digestOf = (text: string) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`
  const form = `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello\r\n--x--\r\n`
  const asForm = { 'content-type': 'multipart/form-data; boundary=x' }
  for (const name of ['content-digest', 'Repr-Digest']) {
    const put = (digest: string) => send(`${owner.link.contentUrl}a`, 'hello', { [name]: digest })
    const post = (digest: string) => send(`${owner.link.url}/content`, form, { ...asForm, [name]: digest }, 'POST')
    for (const wrong of [digestOf('other'), `${digestOf('hello')}, ${digestOf('other')}`]) {
      for (const sent of [await put(wrong), await post(wrong)])
        expect(sent).toMatchObject({ status: 400, body: { code: 'digest_mismatch' } })
    }
    expect(await put('sha-256=hello')).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await owner.taken()).toMatchObject({ files: name === 'content-digest' ? 0 : 1 })
    expect((await (name === 'content-digest' ? put(digestOf('hello')) : post(digestOf(form)))).status).toBeLessThan(300)
  }
  expect(await owner.inbox()).toHaveLength(2)
})

it('the form of the page uploads a file, confirms it, and shows the remaining limit', async () => {
  const owner = await ownerWithInbox({ mimeTypes: ['text/*', 'image/png; a=b', 'IMAGE/PNG'] })
  const page = (await openerOf(t)(owner.link.url, { headers: asBrowser })).bytes.toString()
  expect(page).toContain('enctype="multipart/form-data"')
  expect(page).toContain('accept="text/*,image/png"')
  const form = (name: string, type: string, bytes = 'hello') => {
    const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${bytes}\r\n--x--\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    return (more: Record<string, string>) => send(`${owner.link.url}/content`, body, { ...headers, ...more }, 'POST')
  }
  const thanks = await form('<b>.txt', 'text/plain')(asBrowser)
  expect([thanks.status, thanks.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  for (const text of ['&#60;b&#62;.txt', 'Up to 2 files']) expect(thanks.bytes.toString()).toContain(text)
  expect(thanks.headers.get('content-security-policy')).toContain("form-action 'self'")
  expect(await form('p.PNG', 'image/PNG')(asProgram)).toMatchObject({
    status: 200,
    body: { name: 'p.PNG', sizeBytes: 5 },
  })
  expect((await form('a.gif', 'image/gif')(asProgram)).status).toBe(415)
  expect((await form('', 'text/plain')(asProgram)).status).toBe(400)
  expect((await form('big.txt', 'text/plain', 'x'.repeat(101))(asProgram)).status).toBe(413)
  expect((await send(`${owner.link.url}/content`, 'x', { 'content-type': 'text/plain' }, 'POST')).status).toBe(415)
  expect(await owner.taken()).toMatchObject({ files: 2, bytes: 10 })
  expect((await owner.inbox()).map(({ mimeType }: { mimeType: string }) => mimeType).toSorted()).toEqual(['image/PNG', 'text/plain']) // biome-ignore format: one list
})

it('concurrent uploads reach the limits of the link and never exceed them', async () => {
  const byCount = await ownerWithInbox()
  const crowd = (url: string, bytes: string) =>
    Promise.all(Array.from({ length: 12 }, (_, index) => send(`${url}${index}.txt`, bytes)))
  const counted = await crowd(byCount.link.contentUrl, 'x')
  expect(counted.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(counted.filter(({ status }) => status === 404)).toHaveLength(9)
  expect(await byCount.inbox()).toHaveLength(3)
  expect((await openerOf(t)(byCount.link.url)).status).toBe(404)
  const byBytes = await ownerWithInbox({ maxFiles: 100 })
  const weighed = await crowd(byBytes.link.contentUrl, 'x'.repeat(100))
  expect(weighed.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(await byBytes.taken()).toMatchObject({ files: 2, bytes: 200 })
  expect(await send(`${byBytes.link.contentUrl}rest`, 'x'.repeat(51))).toMatchObject({
    status: 413,
    body: { details: { maxSizeBytes: 50 } },
  })
  expect((await send(`${byBytes.link.contentUrl}rest`, 'x'.repeat(50))).status).toBe(201)
})

it('a failed upload is not counted, and a full account reveals nothing to visitors', async () => {
  const owner = await ownerWithInbox({ maxFileBytes: 5000, maxBytes: 9000 })
  const full = await send(`${owner.link.contentUrl}big`, 'x'.repeat(2000))
  expect([full.status, full.body]).toEqual([
    503,
    { error: 'The link cannot accept the file now. Try again later.', code: 'unavailable' },
  ])
  expect(await owner.taken()).toMatchObject({ files: 0, bytes: 0 })
  for (const [name, code] of [
    ...['a%2Fb', 'a%5Cb', 'a%00b', ''].map((name) => [name, 'validation_failed']),
    ['x'.repeat(256), 'path_too_long'],
  ]) {
    expect(await send(`${owner.link.contentUrl}${name}`, 'x'), name).toMatchObject({ status: 400, body: { code } })
  }
  expect((await send(`${owner.link.contentUrl}a`, 'x', { 'content-type': 'multipart/mixed; boundary=x' })).status).toBe(
    400,
  )
  expect((await send(`${owner.link.contentUrl}a`, 'x', { 'content-encoding': 'gzip' })).status).toBe(415)
  expect(await owner.taken()).toMatchObject({ files: 0, bytes: 0 })
  expect(await owner.inbox()).toEqual([])
})

it('uploads are rejected without the password, after revocation, and by read links', async () => {
  const owner = await ownerWithInbox({}, { password: 'open sesame' })
  const { link } = owner
  expect(await send(`${link.contentUrl}a`, 'x')).toMatchObject({ status: 403, body: { code: 'password_required' } })
  const unlocked = await openerOf(t)(link.url, { form: { password: 'open sesame' } })
  const [cookie = ''] = (unlocked.headers.get('set-cookie') ?? '').split(';')
  expect((await send(`${link.contentUrl}a`, 'x', { cookie })).status).toBe(201)
  await owner.call('DELETE', `/api/links/${link.id}`)
  expect((await send(`${link.contentUrl}a`, 'x', { cookie })).status).toBe(404)
  const { body: reading } = await owner.call('POST', `/api/vaults/${owner.vault.id}/links`, { json: { prefix: '' } })
  expect((await send(`${reading.contentUrl}a`, 'x')).status).toBe(404)
  expect(await owner.inbox()).toHaveLength(1)
})

it('an upload is rejected before its body arrives if the link does not accept it', async () => {
  const owner = await ownerWithInbox()
  const locked = await ownerWithInbox({}, { password: 'open sesame' })
  const full = await ownerWithInbox({ maxFiles: 1 })
  expect((await send(`${full.link.contentUrl}a`, 'x')).status).toBe(201)
  const revoked = await ownerWithInbox()
  await revoked.call('DELETE', `/api/links/${revoked.link.id}`)
  const expired = await ownerWithInbox({}, { expiresInSeconds: 60 })
  await t.database.sql(`update link set expires_at = now() where id = '${expired.link.id}'`)
  const { body: reading } = await owner.call('POST', `/api/vaults/${owner.vault.id}/links`, { json: { prefix: '' } })
  const unknown = { url: `${owner.link.url.slice(0, -4)}AAAA` }
  const asForm = { 'content-type': 'multipart/form-data; boundary=x' }
  const length = { 'content-length': '80' }
  const cases = [
    ...[unknown, full.link, revoked.link, expired.link, reading].map(
      ({ url }) => [url, length, 404, 'not_found'] as const,
    ),
    [locked.link.url, length, 403, 'password_required'],
    [owner.link.url, { 'content-length': '100000' }, 413, 'too_large'],
  ] as const
  for (const [url, headers, status, code] of cases) {
    const path = new URL(url).pathname
    const refusal = [status, code]
    for (const sent of [headers, { ...headers, expect: '100-continue' }]) {
      expect(await sendHead(t, `${path}/content/a.txt`, { headers: sent })).toEqual(refusal)
      expect(await sendHead(t, `${path}/content`, { method: 'POST', headers: { ...asForm, ...sent } })).toEqual(refusal)
    }
    const asked = { 'x-tideport-content-length': headers['content-length'] }
    expect(await sendHead(t, `/internal${path}`, { method: 'GET', headers: asked })).toEqual(refusal)
  }
  const asked = { 'x-tideport-content-length': '80' }
  const taken = await sendHead(t, `/internal${new URL(owner.link.url).pathname}`, { method: 'GET', headers: asked })
  expect(taken).toEqual([200, undefined])
})

it('an upload link is created only for public vaults, with limits, by callers who may upload', async () => {
  const owner = clientOf(t)
  const [open, sealed] = [await owner.createVault('Open', 'public'), await owner.createVault('Sealed', 'private')]
  const make = (caller: typeof owner, vaultId: string, json: object) =>
    caller.call('POST', `/api/vaults/${vaultId}/links`, { json: { prefix: '', ...json } })
  expect(await make(owner, sealed.id, { upload: bounds })).toMatchObject({ status: 409, body: { code: 'visibility_mismatch' } }) // biome-ignore format: one claim
  for (const upload of [
    {},
    { ...bounds, maxFiles: 0 },
    { ...bounds, mimeTypes: [] },
    { ...bounds, mimeTypes: ['x'] },
  ]) {
    expect((await make(owner, open.id, { upload })).status).toBe(400)
  }
  expect((await make(owner, open.id, { upload: bounds, maxDownloads: 1 })).status).toBe(400)
  expect((await make(owner, open.id, { upload: bounds, prefix: `${'x'.repeat(250)}/`.repeat(3) })).body.code).toBe(
    'path_too_long',
  )
  expect((await make(limitedKey(t, owner, { verbs: ['share', 'read'] }), open.id, { upload: bounds })).status).toBe(403)
  expect((await make(limitedKey(t, owner, { verbs: ['share', 'upload'] }), open.id, { upload: bounds })).status).toBe(
    201,
  )
})

it('the page states who can read a sent file, as the owner chose', async () => {
  const told = async (upload: object) => {
    const { link } = await ownerWithInbox(upload)
    const { body } = await openerOf(t)(link.url, { headers: asProgram })
    const page = (await openerOf(t)(link.url, { headers: asBrowser })).bytes.toString()
    return { received: [link.upload.received, body.takes.received], page }
  }
  const [byDefault, publishing] = [await told({}), await told({ received: 'publish' })]
  expect(byDefault.received).toEqual(['review', 'review'])
  expect(byDefault.page).toContain('Only the owner of this link can see your files until the owner publishes them.')
  expect(publishing.received).toEqual(['publish', 'publish'])
  expect(publishing.page).toContain('Your files are public immediately: everyone can read them.')
  expect(publishing.page).not.toContain('Only the owner')
  const owner = await ownerWithInbox()
  const json = { prefix: '', upload: { ...bounds, received: 'never' } }
  expect((await owner.call('POST', `/api/vaults/${owner.vault.id}/links`, { json })).status).toBe(400)
})
