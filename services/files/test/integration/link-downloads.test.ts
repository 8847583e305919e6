import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { asBrowser, asProgram, openerOf, ownerWithFile } from '../visitor.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

describe('downloads', () => {
  it('are counted where they begin at byte 0, not by looking, HEAD, 304, 416 or ranges behind', async () => {
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

  it('where they are bounded: each request is one, but the rest of one that was counted', async () => {
    const owner = await ownerWithFile(t, { mimeType: 'image/png' })
    const link = await owner.share({ maxDownloads: 2 })
    const [first, other] = [openerOf(t), openerOf(t)]
    expect((await first(link.url, { headers: asBrowser })).bytes.toString()).not.toContain('<img')
    expect((await first(link.contentUrl, { headers: { range: 'bytes=0-3' } })).status).toBe(206)
    expect((await first(link.contentUrl, { headers: { range: 'bytes=4-' } })).bytes.toString()).toBe('456789')
    expect((await owner.stateOf(link.id)).downloads).toBe(1)
    // Nobody gets all but the first byte for nothing, nor by saying that it is a preview.
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

  it('of a crowd at once are never more than the link allows, and all that it allows', async () => {
    const owner = await ownerWithFile(t)
    const link = await owner.share({ maxDownloads: 7 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => openerOf(t)(link.contentUrl)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(33)
    expect(await owner.stateOf(link.id)).toMatchObject({ downloads: 7, state: 'spent' })
  })

  it('that cannot begin are taken back', async () => {
    const owner = await ownerWithFile(t)
    const link = await owner.share({ maxDownloads: 1 })
    await t.database.sql(`update file set hot_key = 'hot/nothing' where id = '${owner.file.id}'`)
    const refused = await openerOf(t)(link.contentUrl)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([404, null])
    expect(await owner.stateOf(link.id)).toMatchObject({ downloads: 0, state: 'usable' })
  })
})
