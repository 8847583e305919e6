import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

const soon = '2999-01-02T03:04:05.678Z'
const DAY = 86_400

/** Seconds from a file's request to its end; null: it has none. */
const lifeOf = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }) =>
  expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000)

describe('when files end', () => {
  it('is said by their request, else by their vault, and never unless either does', async () => {
    const client = clientOf(t)
    const plain = await client.defaultVault()
    const { body: vault } = await client.call('POST', '/api/vaults', {
      json: { name: 'Drafts', visibility: 'public', filesExpireAfterSeconds: DAY },
    })
    expect(vault.filesExpireAfterSeconds).toBe(DAY)
    expect((await client.call('GET', `/api/vaults/${plain}`)).body.filesExpireAfterSeconds).toBeNull()

    const life = async (fields: object) => lifeOf(await client.hotFile('hello', { ...fields }))
    expect(await life({ vaultId: plain })).toBeNull()
    expect(await life({ vaultId: vault.id })).toBe(DAY)
    expect(await life({ vaultId: vault.id, expiresAt: null })).toBeNull()
    const given = await client.hotFile('hello', { vaultId: plain, expiresAt: '2999-01-02T04:04:05.678+01:00' })
    expect(given.expiresAt).toBe(soon)

    const content = async (query: string) =>
      (await client.call('PUT', `/api/vaults/${vault.id}/content/a.txt${query}`)).body
    expect(lifeOf(await content(''))).toBe(DAY)
    expect(lifeOf(await content('?expiresAt=never'))).toBeNull()
    expect((await content(`?expiresAt=${soon}`)).expiresAt).toBe(soon)
  })

  it('is what several who upload to different vaults at once said each', async () => {
    const client = clientOf(t)
    const vaults = await Promise.all(
      [60, 120, null].map(async (seconds) => {
        const json = { name: 'A', visibility: 'public', filesExpireAfterSeconds: seconds }
        return { seconds, id: (await client.call('POST', '/api/vaults', { json })).body.id }
      }),
    )
    const requests = vaults.flatMap((vault) => [vault, vault, vault])
    const lives = await Promise.all(
      requests.map(async ({ id }) => {
        const { body } = await client.requestUpload({ vaultId: id, sizeBytes: 3 })
        return lifeOf((await client.call('GET', `/api/files/${body.fileId}`)).body)
      }),
    )
    expect(lives).toEqual(requests.map(({ seconds }) => seconds))
  })

  it('can be changed, for a file and for what comes to a vault, and is told', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const patch = (json: object) => client.call('PATCH', `/api/files/${file.id}`, { json })
    expect((await patch({ expiresAt: soon })).body.expiresAt).toBe(soon)
    expect((await patch({ name: 'other.txt' })).body.expiresAt).toBe(soon)
    expect((await client.call('GET', '/api/files')).body.files[0].expiresAt).toBe(soon)
    expect((await patch({ expiresAt: null })).body.expiresAt).toBeNull()
    const { timeline } = (await client.call('GET', `/api/files/${file.id}/timeline`)).body
    const details = timeline.flatMap((entry: { type: string; details: object }) =>
      entry.type === 'file.changed' ? [entry.details] : [],
    )
    expect(details).toEqual([
      { name: 'cat.png', vaultId: file.vaultId, isRescheduled: true, expiresAt: soon },
      expect.objectContaining({ name: 'other.txt' }),
      { name: 'other.txt', vaultId: file.vaultId, isRescheduled: true },
    ])

    const vault = `/api/vaults/${file.vaultId}`
    const changed = await client.call('PATCH', vault, { json: { filesExpireAfterSeconds: 60 } })
    expect(changed.body.filesExpireAfterSeconds).toBe(60)
    expect(lifeOf(await client.hotFile('hello'))).toBe(60)
    expect((await client.call('PATCH', vault, { json: { name: 'B' } })).body.filesExpireAfterSeconds).toBe(60)
    expect((await client.call('PATCH', vault, { json: { filesExpireAfterSeconds: null } })).status).toBe(200)
    expect(lifeOf(await client.hotFile('hello'))).toBeNull()
  })

  it('is refused where it has passed or is none, but not to a request that is repeated later', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const file = await client.hotFile('hello')
    for (const expiresAt of ['2001-01-01T00:00:00.000Z', 'tomorrow', 5, '2026-02-30T00:00:00Z', '']) {
      expect((await client.requestUpload({ vaultId, sizeBytes: 3, expiresAt })).status).toBe(400)
      expect((await client.call('PATCH', `/api/files/${file.id}`, { json: { expiresAt } })).status).toBe(400)
      const query = `?expiresAt=${encodeURIComponent(expiresAt)}`
      expect((await client.call('PUT', `/api/vaults/${vaultId}/content/a.txt${query}`)).status).toBe(400)
    }
    for (const filesExpireAfterSeconds of [0, 59, -1, 1.5, '60', 1e12]) {
      const json = { name: 'A', visibility: 'public', filesExpireAfterSeconds }
      expect((await client.call('POST', '/api/vaults', { json })).status).toBe(400)
    }

    const expiresAt = new Date(Date.now() + 5000).toISOString()
    const repeat = () => {
      const json = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 3, vaultId, expiresAt }
      return client.call('POST', '/api/files/upload', { json, headers: { 'idempotency-key': 'once' } })
    }
    const first = await repeat()
    expect(first.status).toBe(201)
    while (Date.now() < Date.parse(expiresAt)) await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await repeat()).body.fileId).toBe(first.body.fileId)
  })
})
