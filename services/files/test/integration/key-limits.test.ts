import { api } from '@tideport/contracts/public/api'
import { deleteExpiredRows } from '@tideport/file-lifecycle/removal/delete-expired-rows'
import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { byteBudget } from '../byte-budget.ts'
import { clientOf, limitedKey } from '../client.ts'

const t = sharedBundle()

const withLimits = limitedKey.bind(null, t)

type Ids = { id: string }[]
const idsOf = (list: Ids) => list.map(({ id }) => id)

/** An account with two vaults, each with a live and a trashed file, and a key for the first vault. */
async function setupVaults() {
  const owner = clientOf(t)
  const [mine, other] = [await owner.createVault('Mine', 'public'), await owner.createVault('Other', 'public')]
  const [file, hidden] = [
    await owner.hotFile('a', { vaultId: mine.id }),
    await owner.hotFile('b', { vaultId: other.id }),
  ]
  const trashed = await owner.hotFile('c', { vaultId: mine.id })
  const hiddenTrash = await owner.hotFile('d', { vaultId: other.id })
  for (const { id } of [trashed, hiddenTrash]) await owner.call('DELETE', `/api/files/${id}`)
  return { owner, key: withLimits(owner, { vaultIds: [mine.id] }), mine, other, file, hidden, trashed, hiddenTrash }
}

describe('a key that is limited to vaults', () => {
  it('has full access to them and their files', async () => {
    const { key, mine, file, trashed } = await setupVaults()
    expect((await key.call('GET', `/api/vaults/${mine.id}`)).status).toBe(200)
    expect((await key.call('PATCH', `/api/files/${file.id}`, { json: { name: 'new.png' } })).status).toBe(200)
    expect((await key.hotFile('more', { vaultId: mine.id })).status).toBe('hot')
    expect((await key.call('POST', `/api/files/${trashed.id}/restore`)).status).toBe(200)
    expect((await key.call('DELETE', `/api/files/${file.id}?permanent=true`)).status).toBe(200)
  })

  it('gets upload costs only for its vaults', async () => {
    const { key, mine, other } = await setupVaults()
    const cost = (vaultId: string) => key.call('POST', '/api/files/upload/cost', { json: { sizeBytes: 1, vaultId } })
    expect((await cost(mine.id)).status).toBe(200)
    expect((await cost(other.id)).status).toBe(404)
  })

  it('gets lists of only its vaults', async () => {
    const { key, mine, other, file, hidden, trashed } = await setupVaults()
    const list = async (path: string) => Object.values((await key.call('GET', path)).body)[0] as Ids
    expect(idsOf(await list('/api/vaults'))).toEqual([mine.id])
    for (const query of ['', '?sortBy=name', '?status=hot', '?mimeType=image/png', '?q=cat', `?vaultId=${mine.id}`])
      expect(idsOf(await list(`/api/files${query}`)), query).toEqual([file.id])
    for (const path of ['/api/trash', '/api/files?trashed=true']) expect(idsOf(await list(path))).toEqual([trashed.id])
    for (const id of [other.id, newAccount()]) expect(await list(`/api/files?vaultId=${id}`)).toEqual([])
    expect(hidden.status).toBe('hot')
  })

  it('gets 403 for requests about the complete account', async () => {
    const { key } = await setupVaults()
    const vault = { name: 'x', visibility: 'public' }
    for (const [method, path, json] of [
      ['GET', '/api/account'],
      ['GET', '/api/account/file-events'],
      ['DELETE', '/api/trash'],
      ['POST', '/api/vaults', vault],
    ] as const) {
      const refused = await key.call(method, path, json && { json })
      expect(refused, path).toMatchObject({ status: 403, body: { code: 'outside_key_limits' } })
    }
  })

  it('is checked at every endpoint that it may call', () => {
    const lists = ['listVaults', 'listFiles', 'listTrash', 'listJobs', 'readJob', 'cancelJob']
    for (const [id, endpoint] of Object.entries(api)) {
      if (endpoint.service !== 'files' || !('verb' in endpoint) || lists.includes(id)) continue
      const body = 'body' in endpoint ? Object.keys(endpoint.body.shape) : []
      const named = [':fileId', ':vaultId', ':linkId'].map((name) => endpoint.path.includes(name))
      named.push(body.includes('vaultId'))
      expect(named, id).toContain(true)
    }
  })
})

it.each(['vaults', 'prefixes'])(
  'a key that is limited to %s does not see where a file came from, who moved it, or where it went',
  async (kind) => {
    const { owner, mine, other } = await setupVaults()
    const [limits, inside, outside, hidden] =
      kind === 'vaults'
        ? [{ vaultIds: [mine.id] }, { vaultId: mine.id }, { vaultId: other.id }, other.id]
        : [{ prefixes: ['docs/'] }, { path: 'docs/came.txt' }, { path: 'elsewhere/a.txt' }, 'elsewhere/']
    const key = withLimits(owner, limits)
    const move = async (id: string, to: object) =>
      expect((await owner.call('PATCH', `/api/files/${id}`, { json: to })).status).toBe(200)
    const { id } = await owner.hotFile('a', { vaultId: mine.id })
    await move(id, outside)
    await move(id, inside)
    expect((await key.call('PATCH', `/api/files/${id}`, { json: { tags: ['mine'] } })).status).toBe(200)
    const timelineOf = (who: typeof key) => who.call('GET', `/api/files/${id}/timeline`)
    expect((await timelineOf(owner)).bytes.toString()).toContain(hidden)
    const { body, bytes } = await timelineOf(key)
    expect(bytes.toString()).not.toContain(hidden)
    expect(body.timeline.slice(-2)).toMatchObject([
      { type: 'file.changed', actor: null, requestId: null },
      { type: 'file.changed', actor: { keyPrefix: 'tdp_keys' }, requestId: expect.any(String) },
    ])

    const upload = { vaultId: mine.id, path: 'docs/x', mimeType: 'text/plain', sizeBytes: 1 }
    for (const [method, path, json] of [
      ['POST', '/api/files/upload', upload],
      ['PUT', `/api/vaults/${mine.id}/content/docs/x.json`, {}],
    ] as const) {
      const again = () => key.call(method, path, { json, headers: { 'idempotency-key': path } })
      const { status, body: made } = await again()
      expect(status).toBe(201)
      expect((await again()).body).toMatchObject({ [made.id ? 'id' : 'fileId']: made.id ?? made.fileId })
      await move(made.id ?? made.fileId, outside)
      expect(await again()).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  },
)

it('a key that is limited to verbs gets 403 with the missing verb for any other verb', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  const uploader = withLimits(owner, { verbs: ['upload'] })
  expect((await uploader.requestUpload({ vaultId: file.vaultId, sizeBytes: 1 })).status).toBe(201)
  for (const [method, path, requiredVerb] of [
    ['GET', '/api/files', 'read'],
    ['GET', `/api/files/${file.id}/download`, 'read'],
    ['PATCH', `/api/files/${file.id}`, 'change'],
    ['DELETE', `/api/files/${file.id}`, 'delete'],
  ] as const) {
    const refused = await uploader.call(method, path)
    const details = { limit: 'verbs', requiredVerb }
    expect(refused).toMatchObject({ status: 403, body: { code: 'outside_key_limits', details } })
  }
})

describe('daily byte budgets of a key', () => {
  const sized = (vaultId: string, sizeBytes: number) => ({ vaultId, sizeBytes })

  it('count uploads and download URLs, but not rejected requests', async () => {
    const owner = clientOf(t)
    const vaultId = await owner.defaultVault()
    const key = withLimits(owner, { budgets: [await byteBudget(t, 100)] })
    const file = await key.hotFile('x'.repeat(60), { vaultId })
    const refused = await key.requestUpload(sized(vaultId, 41))
    expect(refused).toMatchObject({ status: 429, body: { code: 'key_bytes_spent', details: { bytesPerDay: 100 } } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await key.call('GET', `/api/files/${file.id}/download`)).status).toBe(429)
    const path = `/api/vaults/${vaultId}/content/y.txt`
    expect((await key.call('PUT', path, { json: 'y'.repeat(28) })).status).toBe(201)
    expect((await key.requestUpload(sized(vaultId, 11))).status).toBe(429)
    expect((await key.requestUpload(sized(vaultId, 10))).status).toBe(201)
    expect((await owner.requestUpload(sized(vaultId, 1000))).status).toBe(201)
  })

  it('are never exceeded by concurrent requests, and every request that fits is accepted', async () => {
    const owner = clientOf(t)
    const vaultId = await owner.defaultVault()
    const budgets = [await byteBudget(t, 95)]
    const [one, two] = [withLimits(owner, { budgets }), withLimits(owner, { budgets })]
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => (index % 2 ? one : two).requestUpload(sized(vaultId, 10))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  it('count in all parent keys or in none, once per repeated request, and begin at 0 each day', async () => {
    const owner = clientOf(t)
    const vaultId = await owner.defaultVault()
    const [root, own] = [await byteBudget(t, 100), await byteBudget(t, 50)]
    const above = withLimits(owner, { budgets: [root] })
    const key = withLimits(owner, { budgets: [root, own] })
    const json = { name: 'a', mimeType: 'text/plain', ...sized(vaultId, 40) }
    for (let times = 0; times < 3; times += 1) {
      const { status } = await key.call('POST', '/api/files/upload', { json, headers: { 'idempotency-key': 'once' } })
      expect(status).toBe(201)
    }
    expect((await key.requestUpload(sized(vaultId, 11))).status).toBe(429)
    expect((await above.requestUpload(sized(vaultId, 60))).status).toBe(201)
    expect((await key.requestUpload(sized(vaultId, 1))).status).toBe(429)
    await t.database.sql('update key_spending set day = day - 3')
    expect((await key.requestUpload(sized(vaultId, 50))).status).toBe(201)
    await t.database.sql('update key_spending set day = day - 2')
    await deleteExpiredRows({ ...t, accountJobRetentionSeconds: 60, auditRetentionSeconds: 60 })
    expect(await t.database.sql('select from key_spending')).toEqual([])
  })
})
