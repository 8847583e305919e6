import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf, encryption, visitorOf } from '../client.ts'
import { makeCold } from '../later-states.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

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

describe('a file is read by its path', () => {
  it('in every state, by ranges and conditions, with the headers of any public read', async () => {
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

  it('as a URL with ?download, which anybody can open', async () => {
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

  it('as the one that was put there last, by upload, replacement, swap or move; an upload is none yet', async () => {
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

  it('and always found while others replace it', async () => {
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

it('whatever is not there, or not for who asks, is the one 404', async () => {
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
