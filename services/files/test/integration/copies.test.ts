import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, encryption, visitorOf } from '../client.ts'
import { dropCopy, giveUpStoring, loseCopy, makeProved, makeSynced } from '../later-states.ts'

const t = sharedBundle({ networkNames: ['lake', 'sea'] })

const client = () => clientOf(t)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const planned = { driver: 'embedded', blobId: null, state: 'planned', storedAt: null, provedAt: null, checkedAt: null }
const unchecked = { checks: { ok: 0, failed: 0 }, leaseExpiresAt: null }

describe('GET /api/files/:fileId/copies', () => {
  it('shows each copy from planned to proved, in the order of the networks', async () => {
    const owner = client()
    const { body: upload } = await owner.requestUpload({ vaultId: await owner.defaultVault(), sizeBytes: 5 })
    expect(await owner.call('GET', `/api/files/${upload.fileId}/copies`)).toMatchObject({
      status: 200,
      body: { copies: [] },
    })
    const { id } = await owner.hotFile('hello')
    const copies = async () => (await owner.call('GET', `/api/files/${id}/copies`)).body.copies
    expect(await copies()).toEqual([
      { network: 'lake', ...planned, ...unchecked },
      { network: 'sea', ...planned, ...unchecked },
    ])
    const blobId = await makeSynced(t, id, ['sea'])
    expect(await copies()).toEqual([
      { network: 'lake', ...planned, ...unchecked },
      { network: 'sea', ...planned, ...unchecked, blobId, state: 'stored', storedAt: time },
    ])
    await makeProved(t, id)
    const proved = { ...planned, blobId, state: 'proved', storedAt: time, provedAt: time, checkedAt: time }
    const checked = { checks: { ok: 1, failed: 0 }, leaseExpiresAt: null }
    expect(await copies()).toEqual([
      { network: 'lake', ...proved, ...checked },
      { network: 'sea', ...proved, ...checked },
    ])
  })

  it('shows lost, failed, and dropped copies, and keeps the blob IDs', async () => {
    const owner = client()
    const [lost, failed, left] = [
      await owner.hotFile('lost'),
      await owner.hotFile('failed'),
      await owner.hotFile('left'),
    ]
    const copyOn = async ({ id }: { id: string }, network: string) => {
      const { copies } = (await owner.call('GET', `/api/files/${id}/copies`)).body
      return copies.find((copy: { network: string }) => copy.network === network)
    }
    const lostBlob = await makeProved(t, lost.id)
    await loseCopy(t, lost.id, 'lake')
    expect(await copyOn(lost, 'lake')).toMatchObject({
      ...{ blobId: lostBlob, state: 'lost', provedAt: null, checks: { ok: 1, failed: 1 } },
    })
    expect((await owner.call('GET', `/api/files/${lost.id}`)).body.status).toBe('synced')

    await makeSynced(t, failed.id, ['sea'])
    await giveUpStoring(t, failed.id)
    expect(await copyOn(failed, 'lake')).toMatchObject({ state: 'failed', blobId: null })
    expect((await owner.call('POST', `/api/files/${failed.id}/retry`)).body.status).toBe('synced')
    expect(await copyOn(failed, 'lake')).toMatchObject({ state: 'planned' })

    const leftBlob = await makeProved(t, left.id)
    await dropCopy(t, left.id, 'lake')
    expect(await copyOn(left, 'lake')).toMatchObject({ state: 'dropped', blobId: leftBlob })
  })

  it('shows a network that is not configured, last and without a driver', async () => {
    const owner = client()
    const { id } = await owner.hotFile('hello')
    await makeSynced(t, id)
    await t.database.sql(`update copy set network = 'away' where file_id = $1 and network = 'lake'`, [id])
    const { copies } = (await owner.call('GET', `/api/files/${id}/copies`)).body
    expect(copies.map((copy: Record<string, unknown>) => [copy.network, copy.driver])).toEqual([
      ['sea', 'embedded'],
      ['away', null],
    ])
  })
})

it('a permanent deletion returns the outcome for the copy on each network', async () => {
  const owner = client()
  const [proved, half] = [await owner.hotFile('proved'), await owner.hotFile('half')]
  await makeProved(t, proved.id)
  await makeSynced(t, half.id, ['sea'])
  const purge = async (id: string) => (await owner.call('DELETE', `/api/files/${id}?permanent=true`)).body.networkCopies
  const released = { outcome: 'released', expiresAt: null }
  expect(await purge(proved.id)).toEqual([
    { network: 'lake', ...released },
    { network: 'sea', ...released },
  ])
  expect(await purge(half.id)).toEqual([{ network: 'sea', ...released }])
})

describe('GET /api/public/blobs/:blobId', () => {
  const read = async (blobId: string) => await visitorOf(t)(`/api/public/blobs/${blobId}`)

  it('serves the blob ID of a dropped copy from the remaining copies', async () => {
    const owner = client()
    const { id } = await owner.hotFile('was on the lake')
    await makeProved(t, id)
    // Another network assigns a different blob ID to the same bytes.
    await t.database.sql(`update copy set blob_id = 'lakeblob' where file_id = $1 and network = 'lake'`, [id])
    await dropCopy(t, id, 'lake')
    expect((await read('lakeblob')).bytes.toString()).toBe('was on the lake')
    expect((await read('lakeblob')).headers.get('etag')).toBe('"lakeblob"')
    await owner.call('DELETE', `/api/files/${id}`)
    expect((await read('lakeblob')).status).toBe(404)
  })

  it('never opens a private file, not even through shared bytes or a dropped copy', async () => {
    const owner = client()
    const { id: vaultId } = await owner.createVault('Secrets', 'private')
    const secret = await owner.hotFile('shared by many', { vaultId, ...encryption })
    const blobId = await makeProved(t, secret.id)
    await dropCopy(t, secret.id, 'lake')
    expect((await read(blobId)).status).toBe(404)
    const open = await owner.hotFile('shared by many', { name: 'open.txt', mimeType: 'text/plain' })
    await makeProved(t, open.id)
    expect((await read(blobId)).headers.get('content-disposition')).toBe('inline; filename=open.txt')
    await owner.call('DELETE', `/api/files/${open.id}`)
    expect((await read(blobId)).status).toBe(404)
  })

  it('stays with the earliest file when its copy is lost and stored again after others', async () => {
    const first = await client().hotFile('who was first', { name: 'first.txt', mimeType: 'text/plain' })
    const blobId = await makeProved(t, first.id)
    const evil = await client().hotFile('who was first', { name: 'evil.html', mimeType: 'text/html' })
    await makeProved(t, evil.id)
    for (const network of ['lake', 'sea']) await loseCopy(t, first.id, network)
    await makeSynced(t, first.id)
    expect((await read(blobId)).headers.get('content-type')).toBe('text/plain')
  })
})
