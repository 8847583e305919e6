import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { asBrowser, asProgram, openerOf, ownerWithFile } from '../visitor.ts'

const t = sharedBundle()

// Attempts become available again over time, and hashing is slow on a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const password = 'pässword one'
const address = (name: string) => ({ 'x-tideport-client-address': name })

it('a link with a password reveals nothing before the password is entered', async () => {
  const owner = await ownerWithFile(t, { name: 'told-to-nobody.txt' })
  const link = await owner.share({ password })
  const open = openerOf(t)
  const page = await open(link.url, { headers: asBrowser })
  expect([page.status, page.bytes.toString().includes('type="password"')]).toEqual([200, true])
  const asked = [page]
  for (const path of ['', '/content']) asked.push(await open(link.url + path, { headers: asProgram }))
  for (const { status, body } of asked.slice(1)) expect([status, body.code]).toEqual([403, 'password_required'])
  const sentBack = await open(link.contentUrl, { headers: asBrowser })
  expect(new URL(sentBack.headers.get('location') ?? '', link.contentUrl).href).toBe(link.url)
  for (const answer of asked) expect(answer.bytes.toString()).not.toContain('told-to-nobody')

  expect((await open(link.url, { form: { password: `${password} ` } })).body).toMatchObject({ code: 'wrong_password' })
  expect((await open(link.url, { form: { password: '' } })).status).toBe(403)
  expect((await open(link.url, { form: {} })).status).toBe(400)
  const wrong = await open(link.url, { form: { password: 'no' }, headers: asBrowser })
  const { text } = await t.metrics.render()
  expect(text).toMatch(/tideport_link_passwords_total\{(?=.*outcome="wrong").*\} [1-9]/)
  expect([wrong.status, wrong.bytes.toString().includes('Wrong password')]).toEqual([403, true])
  expect((await open(link.contentUrl)).status).toBe(403)

  // The same password in another Unicode normalization form.
  const right = await open(link.url, { form: { password: password.normalize('NFD') } })
  expect([right.status, new URL(right.headers.get('location') ?? '', link.url).href]).toEqual([303, link.url])
  expect(right.headers.get('set-cookie')).toMatch(/; Path=\/s\/[\w-]{32}; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
  expect((await open(link.contentUrl)).bytes.toString()).toBe('0123456789')
  expect((await openerOf(t)(link.contentUrl)).status).toBe(403)
})

it('a pass opens only its own link, only unmodified, and only for a limited time', async () => {
  const owner = await ownerWithFile(t)
  const [one, other] = [await owner.share({ password }), await owner.share({ password })]
  const set = (await openerOf(t)(one.url, { form: { password } })).headers.get('set-cookie') ?? ''
  const [cookie = ''] = set.split(';')
  const statusWith = async (url: string, sent: string) => (await openerOf(t)(url, { headers: { cookie: sent } })).status
  expect(await statusWith(one.contentUrl, cookie)).toBe(200)
  expect(await statusWith(other.contentUrl, cookie)).toBe(403)
  const [, until = ''] = /=(\d+)\./.exec(cookie) ?? []
  expect(await statusWith(one.contentUrl, cookie.replace(until, String(Number(until) + 1)))).toBe(403)
  expect(Number(until) - Date.now() / 1000).toBeLessThan(4 * 3600 + 5)
  await owner.call('DELETE', `/api/links/${one.id}`)
  expect(await statusWith(one.contentUrl, cookie)).toBe(404)
})

it('attempts are limited per address and per link, and correct passwords do not count', async () => {
  const owner = await ownerWithFile(t)
  const link = await owner.share({ password })
  const guess = async (from: string, given = 'wrong guess') => {
    const { status } = await openerOf(t)(link.url, { form: { password: given }, headers: address(from) })
    return status
  }
  for (let visit = 0; visit < 6; visit += 1) expect(await guess('192.0.2.1', password)).toBe(303)
  for (let wrong = 0; wrong < 5; wrong += 1) expect(await guess('192.0.2.7')).toBe(403)
  expect(await guess('192.0.2.7', password)).toBe(429)
  // All addresses of one customer's IPv6 network count as one.
  for (let wrong = 0; wrong < 5; wrong += 1) expect(await guess(`2001:db8::${wrong}`)).toBe(403)
  expect(await guess('2001:db8::9999')).toBe(429)
  expect(await guess('192.0.2.8', password)).toBe(303)
  await t.database.sql(`update link set tries_until = now() + interval '2 minutes' where id = '${link.id}'`)
  expect(await guess('192.0.2.9', password)).toBe(429)
})

it('passwords of concurrent visitors are checked', async () => {
  const owner = await ownerWithFile(t)
  const links = await Promise.all(Array.from({ length: 4 }, () => owner.share({ password })))
  const guesses = Array.from({ length: 12 }, (_, index) => {
    const { url } = links[index % 4] as { url: string }
    return openerOf(t)(url, { form: { password: 'wrong guess' }, headers: address(`192.0.2.${100 + index}`) })
  })
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses).toEqual(Array(12).fill(403))
})

it('no password is hashed for a link that cannot be created, and no account delays others', async () => {
  const [owner, attacker] = await Promise.all([ownerWithFile(t), ownerWithFile(t)])
  const link = await owner.share({ password })
  const json = { password: 'of the attacker' }
  const create = (path: string) =>
    attacker.call('POST', path, { json: { ...json, ...(path.includes('vault') && { prefix: '' }) } })
  const ofAttacker = `/api/files/${attacker.file.id}/links`
  const attack = Promise.all(Array.from({ length: 48 }, () => create(ofAttacker)))
  const missing = [
    `files/${randomUUID()}`,
    `files/${owner.file.id}`,
    `vaults/${randomUUID()}`,
    `vaults/${owner.file.vaultId}`,
  ]
  for (const path of missing) expect([path, (await create(`/api/${path}/links`)).status]).toEqual([path, 404])
  expect((await openerOf(t)(link.url, { form: { password } })).status).toBe(303)
  expect(await owner.share({ password })).toMatchObject({ hasPassword: true })
  const refused = (await attack).filter(({ status }) => status !== 201)
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)

  await t.database.sql(`
    insert into link (id, account_id, file_id, digest)
    select gen_random_uuid(), '${attacker.accountId}', '${attacker.file.id}', sha256(number::text::bytea)
    from generate_series(1, 10000) as number`)
  const full = await Promise.all(Array.from({ length: 48 }, () => create(ofAttacker)))
  expect(new Set(full.map(({ body }) => body.code))).toEqual(new Set(['too_many_links']))
})

it('an attempt whose password could not be checked does not count', async () => {
  const owner = await ownerWithFile(t)
  const link = await owner.share({ password })
  const guess = (given: string) =>
    openerOf(t)(link.url, { form: { password: given }, headers: address('198.51.100.7') }).then(({ status }) => status)
  const set = (values: string) => t.database.sql(`update link set ${values} where id = '${link.id}'`)
  // Argon2 rejects this little memory, and its thread exits. The link has two attempts left, the address five.
  await set(`password_hash = replace(password_hash, 'm=19456', 'm=0'), tries_until = now() + interval '54 seconds'`)
  for (let failed = 0; failed < 6; failed += 1) expect(await guess('wrong guess')).toBe(503)
  await set(`password_hash = replace(password_hash, 'm=0', 'm=19456'), tries_until = null`)
  for (let wrong = 0; wrong < 5; wrong += 1) expect(await guess('wrong guess')).toBe(403)
  expect(await guess(password)).toBe(429)
})

it('after a correct password, programs get JSON and forms are redirected', async () => {
  const owner = await ownerWithFile(t)
  const link = await owner.share({ password })
  const open = openerOf(t)
  const told = await open(link.url, { form: { password }, headers: asProgram })
  expect([told.status, told.headers.get('location'), told.body.url]).toEqual([200, null, link.url])
  const [, until] = /=(\d+)\./.exec(told.headers.get('set-cookie') ?? '') ?? []
  expect(Date.parse(told.body.unlockedUntil) / 1000).toBe(Number(until))
  expect((await open(link.contentUrl)).status).toBe(200)
  const sentOn = await openerOf(t)(link.url, { form: { password }, headers: asBrowser })
  expect([sentOn.status, sentOn.bytes.length]).toEqual([303, 0])
  const both = { accept: 'text/html, application/json' }
  expect((await openerOf(t)(link.url, { form: { password }, headers: both })).status).toBe(303)
})
