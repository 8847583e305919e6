import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { giveUpStoring, makeCold } from '../later-states.ts'

const t = sharedBundle()

const path = '/api/account/file-events'
const ann = { method: 'api_key', keyId: newAccount(), keyPrefix: 'tdp_anns' } as const
const bob = { method: 'jwt', subject: 'bob' } as const
const asActor = ({ keyId, keyPrefix, subject, method }: Record<string, string>) => ({
  ...{ method, keyId: keyId ?? null, keyPrefix: keyPrefix ?? null, subject: subject ?? null },
})
const from = (requestId: string) => ({ [clientAddressHeader]: '2001:db8::7', 'x-request-id': requestId })

/** Two clients of one account with different credentials. */
function setupTwo() {
  const accountId = newAccount()
  return [clientOf(t, accountId, ann), clientOf(t, accountId, bob)] as const
}

const kindsOf = (events: { kind: string }[]) => events.map(({ kind }) => kind)

describe('GET /api/account/file-events', () => {
  it('shows who deleted a file, from which address, and by which request, even after the purge', async () => {
    const [owner, other] = setupTwo()
    const file = await owner.hotFile('hello')
    await other.call('DELETE', `/api/files/${file.id}`, { headers: from('to-the-trash') })
    await owner.call('DELETE', `/api/files/${file.id}?permanent=true`, { headers: from('for-good') })
    const { body, status } = await owner.call('GET', `${path}?subjectId=${file.id}`)
    expect([status, kindsOf(body.events)]).toEqual([200, ['file.purged', 'file.deleted', 'file.hot']])
    const [purged, deleted, uploaded] = body.events
    const where = { clientAddress: '2001:db8::7', subject: 'file', subjectId: file.id }
    expect(purged).toMatchObject({ ...where, actor: asActor(ann), requestId: 'for-good' })
    expect(deleted).toMatchObject({ ...where, actor: asActor(bob), requestId: 'to-the-trash' })
    expect(deleted.details).toMatchObject({ fileName: 'cat.png', vaultId: file.vaultId, sizeBytes: 5 })
    expect(uploaded).toMatchObject({ actor: asActor(ann), clientAddress: null })
  })

  it('shows the tags and metadata of a new file, also in its timeline', async () => {
    const [owner] = setupTwo()
    const labels = { tags: ['dusk', 'harbour'], metadata: { place: 'Lerwick' } }
    const file = await owner.hotFile('hello', labels)
    const events = await owner.call('GET', `${path}?subjectId=${file.id}`)
    expect([events.status, events.body.events[0]?.details]).toMatchObject([200, labels])
    const timeline = await owner.call('GET', `/api/files/${file.id}/timeline`)
    expect([timeline.status, timeline.body.timeline.length > 0]).toEqual([200, true])
  })

  it('lists the deletion of a vault, with its actor, among the events of its files', async () => {
    const [owner, other] = setupTwo()
    const vault = await owner.createVault('Photos', 'public')
    const file = await owner.hotFile('hello', { vaultId: vault.id })
    await other.call('DELETE', `/api/vaults/${vault.id}?force=true`)
    const { body } = await owner.call('GET', `${path}?subjectId=${file.id}`)
    expect(kindsOf(body.events)).toEqual(['vault.deleted', 'file.hot'])
    expect(body.events[0]).toMatchObject({ subject: 'vault', subjectId: vault.id, actor: asActor(bob) })
  })

  it('has every change of a vault and a file, and no entry for requests without a change', async () => {
    const [owner] = setupTwo()
    const vault = await owner.createVault('Photos', 'public')
    const file = await owner.hotFile('hello', { vaultId: vault.id })
    const home = await owner.defaultVault()
    for (let times = 0; times < 2; times += 1) {
      await owner.call('PATCH', `/api/vaults/${vault.id}`, { json: { name: 'Pictures', description: 'Summer' } })
      await owner.call('PATCH', `/api/files/${file.id}`, { json: { name: 'dog.png' } })
      await owner.call('PATCH', `/api/files/${file.id}`, { json: { vaultId: home, name: 'pony.png' } })
      await owner.call('DELETE', `/api/vaults/${vault.id}`)
      await owner.call('POST', `/api/vaults/${vault.id}/restore`)
      if (times === 0) await owner.call('PATCH', `/api/files/${file.id}`, { json: { name: 'dog.png' } })
      else await owner.call('DELETE', '/api/trash')
    }
    const ofFile = (await owner.call('GET', `${path}?subjectId=${file.id}&kind=file.changed`)).body.events
    expect(ofFile.map(({ details }: { details: object }) => details).toReversed()).toEqual([
      { name: 'dog.png', nameBefore: 'cat.png', vaultId: vault.id },
      { name: 'pony.png', nameBefore: 'dog.png', vaultId: home, vaultIdBefore: vault.id },
      { name: 'dog.png', nameBefore: 'pony.png', vaultId: home },
      { name: 'pony.png', nameBefore: 'dog.png', vaultId: home },
    ])
    const ofVault = (await owner.call('GET', `${path}?subjectId=${vault.id}`)).body.events
    const twice = ['vault.deleted', 'vault.restored']
    expect(kindsOf(ofVault).toReversed()).toEqual(['vault.created', 'vault.changed', ...twice, ...twice])
    expect(ofVault.at(-2).details).toEqual({ name: 'Pictures', nameBefore: 'Photos', isDescriptionChanged: true })
    expect(new Set(ofVault.map(({ actor }: { actor: { keyId: string } }) => actor.keyId))).toEqual(new Set([ann.keyId]))
  })

  it('shows who deleted a vault permanently', async () => {
    const [owner, other] = setupTwo()
    const vault = await owner.createVault('Photos', 'public')
    await owner.call('DELETE', `/api/vaults/${vault.id}`)
    await other.call('DELETE', '/api/trash')
    const { body } = await owner.call('GET', `${path}?subjectId=${vault.id}`)
    expect(body.events[0]).toMatchObject({ kind: 'vault.purged', actor: asActor(bob) })
  })

  it('filters by key, kind, and time, in complete pages, and shows nothing of another account', async () => {
    const [owner, other] = setupTwo()
    const files = [await owner.hotFile('a'), await other.hotFile('b'), await owner.hotFile('c')]
    for (const { id } of files) await other.call('DELETE', `/api/files/${id}`)
    const { events } = (await owner.call('GET', path)).body
    // The first call of the account created the default vault.
    expect(kindsOf(events).toReversed()).toEqual([
      'vault.created',
      ...files.map(() => 'file.hot'),
      ...files.map(() => 'file.deleted'),
    ])
    const listed = async (query: string) => (await owner.call('GET', `${path}?${query}`)).body.events
    expect(kindsOf(await listed(`keyId=${ann.keyId}`))).toEqual(['file.hot', 'file.hot', 'vault.created'])
    expect(kindsOf(await listed('kind=file.deleted'))).toHaveLength(3)
    expect(await listed(`after=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
    expect(await listed(`before=${events.at(-1).at}`)).toEqual([])
    expect((await owner.pages(`${path}?limit=2`)).flatMap((page) => page.events)).toEqual(events)
    expect((await clientOf(t).call('GET', `${path}?subjectId=${files[0].id}`)).body.events).toEqual([])
    expect((await owner.call('GET', `${path}?kind=nothing`)).status).toBe(400)
  })

  it('needs account:read', async () => {
    expect((await clientOf(t, newAccount(), { scopes: ['files:read'] }).call('GET', path)).status).toBe(403)
  })
})

it('batched requests are recorded with their own actors', async () => {
  const accountId = newAccount()
  const many = Array.from({ length: 12 }, (_, index) => clientOf(t, accountId, { method: 'jwt', subject: `s${index}` }))
  const vaultId = await clientOf(t, accountId).defaultVault()
  const files = await Promise.all(many.map((client) => client.hotFile('hello', { vaultId })))
  await Promise.all(
    files.map(async ({ id }, index) => {
      const { body } = await clientOf(t, accountId).call('GET', `/api/files/${id}/timeline`)
      expect(body.timeline.at(-1)).toMatchObject({ type: 'file.hot', actor: { subject: `s${index}` } })
    }),
  )
})

type Entry = Record<'type' | 'status' | 'at', string> & { details: object }

it('shows every change and attempt of a file, oldest first, in pages', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  await giveUpStoring(t, file.id)

  const path = `/api/files/${file.id}/timeline`
  const { status, body } = await owner.call('GET', path)
  expect(status).toBe(200)
  const told = body.timeline.map(({ type, status, details }: Entry) => [type, status, details])
  expect(told).toEqual([
    ['upload.requested', 'uploading', {}],
    ['file.hot', 'hot', {}],
    ['store.failed', null, { network: 'embedded', attempt: 1, reason: 'hot_tier', delaySeconds: 0 }],
    ['copy.failed', null, { network: 'embedded', reason: 'sync_failed' }],
    ['file.error', 'error', { error: 'The file could not be copied to the storage network' }],
  ])
  expect(body.nextCursor).toBeNull()
  expect(body.timeline.map(({ at }: Entry) => at)).toEqual(body.timeline.map(({ at }: Entry) => at).toSorted())

  const first = (await owner.call('GET', `${path}?limit=3`)).body
  const rest = (await owner.call('GET', `${path}?limit=3&cursor=${first.nextCursor}`)).body
  expect([...first.timeline, ...rest.timeline]).toEqual(body.timeline)
  expect(rest.nextCursor).toBeNull()
  expect((await clientOf(t).call('GET', path)).status).toBe(404)
  const other = await owner.hotFile('hello')
  expect((await owner.call('GET', `/api/files/${other.id}/timeline?cursor=${first.nextCursor}`)).status).toBe(400)
})

it('shows each copy by network, in addition to the resulting status', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  await makeCold(t, file.id)
  const { timeline } = (await owner.call('GET', `/api/files/${file.id}/timeline`)).body
  const told = timeline.slice(2).map(({ type, status, details }: Entry) => [type, status, details])
  expect(told).toEqual([
    ['file.copied', null, { network: 'embedded' }],
    ['file.synced', 'synced', {}],
    ['copy.proved', null, { network: 'embedded', sizeBytes: 5 }],
    ['evict.begun', null, { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), sizeBytes: 5 }],
    ['file.cold', 'cold', {}],
  ])
})
