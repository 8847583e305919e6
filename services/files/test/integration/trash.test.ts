import { armFailpoints } from '@tideport/service-kit/process/failpoint'
import { createFailpoints } from '@tideport/testing/failpoints'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { type Client, clientOf, put, visitorOf } from '../client.ts'
import { makeCold, makeSynced } from '../later-states.ts'

const t = sharedBundle()

const idsOf = ({ body }: { body: { files: { id: string }[] } }) => body.files.map(({ id }) => id)
const expectMissing = (answer: object) => expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })

/** The responses of all routes that could still read the file. */
async function readEverywhere(client: Client, file: { id: string }, downloadUrl: string) {
  const { pathname, search } = new URL(downloadUrl)
  const visit = visitorOf(t)
  return await Promise.all([
    client.call('GET', `/api/files/${file.id}`),
    client.call('GET', `/api/files/${file.id}/download`),
    client.call('GET', `/api/files/${file.id}/copies`),
    client.call('POST', `/api/files/${file.id}/confirm`),
    visit(`/api/public/files/${file.id}`),
    visit(pathname + search),
  ])
}

describe('DELETE /api/files/{id}', () => {
  it('hides a file from every read immediately, until the file is restored', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const blobId = await makeCold(t, file.id)
    const { downloadUrl } = (await client.call('GET', `/api/files/${file.id}/download`)).body
    const deleted = await client.call('DELETE', `/api/files/${file.id}`)
    expect(deleted).toMatchObject({
      status: 200,
      body: { id: file.id, status: 'cold', networkCopy: 'released', networkCopyExpiresAt: null },
    })
    const { deletedAt, purgeDueAt } = deleted.body
    expect(Date.parse(purgeDueAt) - Date.parse(deletedAt)).toBe(t.config.trashRetentionSeconds * 1000)
    for (const answer of await readEverywhere(client, file, downloadUrl)) expectMissing(answer)
    expectMissing(await visitorOf(t)(`/api/public/blobs/${blobId}`))
    expect(idsOf(await client.call('GET', '/api/files'))).toEqual([])
    expect(idsOf(await client.call('GET', `/api/public/vaults/${client.accountId}/default`))).toEqual([])
    const trash = await client.call('GET', '/api/trash')
    expect(trash.body.files).toEqual([expect.objectContaining({ id: file.id, deletedAt, purgeDueAt })])
    expect(idsOf(await client.call('GET', '/api/files?trashed=true'))).toEqual([file.id])

    expect(await client.call('DELETE', `/api/files/${file.id}`)).toMatchObject({ status: 200, body: { purgeDueAt } })
    for (let time = 0; time < 2; time += 1) {
      const restored = await client.call('POST', `/api/files/${file.id}/restore`)
      expect(restored).toMatchObject({ status: 200, body: { id: file.id, deletedAt: null } })
    }
    const read = await readEverywhere(client, file, downloadUrl)
    expect(read.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(idsOf(await client.call('GET', '/api/trash'))).toEqual([])
  })

  it('with permanent removes bytes and copy immediately, in any state of the file', async () => {
    const client = clientOf(t)
    const [hot, synced, cold, trashed] = [
      await client.hotFile('h'),
      await client.hotFile('s'),
      await client.hotFile('c'),
      await client.hotFile('t'),
    ]
    await makeSynced(t, synced.id)
    await makeCold(t, cold.id)
    await client.call('DELETE', `/api/files/${trashed.id}`)
    expect((await client.call('DELETE', `/api/files/${hot.id}?permanent=yes`)).status).toBe(400)
    for (const { id } of [hot, synced, cold, trashed]) {
      const [{ hot_key: hotKey } = {}] = await t.database.sql('select hot_key from file where id = $1', [id])
      const deleted = await client.call('DELETE', `/api/files/${id}?permanent=true`)
      expect(deleted).toMatchObject({ status: 200, body: { id, purgeDueAt: null, networkCopy: 'released' } })
      expectMissing(await client.call('GET', `/api/files/${id}`))
      expectMissing(await client.call('POST', `/api/files/${id}/restore`))
      expectMissing(await client.call('DELETE', `/api/files/${id}?permanent=true`))
      await waitFor(async () => hotKey === null || (await t.hotTier.head(hotKey)) === null, { what: 'the bytes to go' })
      await waitFor(async () => !(await t.directory.list()).some((entry) => entry.includes(id)), {
        what: 'the copy to go',
      })
    }
    expect(idsOf(await client.call('GET', '/api/trash'))).toEqual([])
    const { usage } = (await client.call('GET', '/api/account')).body
    expect(usage).toMatchObject({ storageBytes: 0, hotBytes: 0, fileCount: 0 })
  })

  it('aborts an upload, which then returns 404, never enters the trash, and no longer counts', async () => {
    const client = clientOf(t)
    const { body: upload } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
    expect(await client.call('DELETE', `/api/files/${upload.fileId}`)).toMatchObject({
      status: 200,
      body: { status: 'uploading', networkCopy: 'released', purgeDueAt: null },
    })
    expectMissing(await client.call('POST', `/api/files/${upload.fileId}/confirm`))
    expectMissing(await client.call('DELETE', `/api/files/${upload.fileId}`))
    expect(idsOf(await client.call('GET', '/api/trash'))).toEqual([])
    expect((await client.call('GET', '/api/account')).body.usage).toMatchObject({ storageBytes: 0, fileCount: 0 })
    await waitFor(async () => (await put(upload, 'hello')).status === 404, { what: 'the upload to be aborted' })
  })

  it('is rejected while the store completes an upload, unless the store has lost the upload', async () => {
    const client = clientOf(t)
    const { body: upload } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
    await put(upload, 'hello')
    await using failpoints = await createFailpoints()
    armFailpoints(failpoints.directory)
    await failpoints.pause('confirm.before-complete')
    const confirming = client.call('POST', `/api/files/${upload.fileId}/confirm`)
    const isCompleting = async () =>
      (await t.database.sql('select completing_at from file where id = $1', [upload.fileId]))[0]?.completing_at
    await waitFor(isCompleting, { what: 'the confirm to begin' })
    for (const query of ['', '?permanent=true']) {
      const refused = await client.call('DELETE', `/api/files/${upload.fileId}${query}`)
      expect(refused).toMatchObject({ status: 409, body: { code: 'upload_in_progress' } })
    }
    await failpoints.release('confirm.before-complete')
    expect((await confirming).status).toBe(200)

    const lost = (await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })).body.fileId
    const [row] = await t.database.sql(
      `update file set completing_at = now() - interval '1 hour', version = version + 1 where id = $1 returning upload_key`,
      [lost],
    )
    expect(await client.call('DELETE', `/api/files/${lost}`)).toMatchObject({ status: 409 })
    await t.hotTier.abortUploads(row?.upload_key)
    expect(await client.call('DELETE', `/api/files/${lost}`)).toMatchObject({ status: 200 })
  })

  it.each(['confirm.before-complete', 'confirm.after-complete', 'confirm.before-commit'])(
    'concurrent with a confirm that is paused at %s leaves one file or none, and correct counters',
    async (name) => {
      const client = clientOf(t)
      const { body: upload } = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 5 })
      await put(upload, 'hello')
      await using failpoints = await createFailpoints()
      armFailpoints(failpoints.directory)
      await failpoints.pause(name)
      const confirming = client.call('POST', `/api/files/${upload.fileId}/confirm`)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => client.call('DELETE', `/api/files/${upload.fileId}?permanent=true`)),
      )
      await failpoints.release(name)
      const { status } = await confirming
      const aborted = answers.filter((answer) => answer.status === 200)
      expect([aborted.length, status]).toEqual(status === 200 ? [0, 200] : [1, 404])
      const { usage } = (await client.call('GET', '/api/account')).body
      const kept = status === 200
      expect(usage).toMatchObject({ fileCount: kept ? 1 : 0, storageBytes: kept ? 5 : 0, hotBytes: kept ? 5 : 0 })
    },
  )
})

describe('the trash', () => {
  it('is listed in pages, each file once, in both orders', async () => {
    const client = clientOf(t)
    const vault = await client.createVault('Gone', 'public')
    const files = [await client.hotFile('1', { name: 'c' }), await client.hotFile('2', { name: 'a' })]
    const inVault = await client.hotFile('3', { name: 'b', vaultId: vault.id })
    await client.requestUpload({ vaultId: vault.id, sizeBytes: 1 })
    for (const { id } of files) await client.call('DELETE', `/api/files/${id}`)
    await client.call('DELETE', `/api/vaults/${vault.id}?force=true`)
    await client.hotFile('4', { name: 'd' })
    for (const path of ['/api/trash?', '/api/files?trashed=true&']) {
      const pages = await client.pages(`${path}sortBy=name&order=asc&limit=1`)
      expect(pages).toMatchObject(['a', 'b', 'c'].map((name) => ({ files: [{ name }] })))
      const inOrder = [inVault, ...files.toReversed()].map(({ id }) => id)
      expect(idsOf(await client.call('GET', path))).toEqual(inOrder)
    }
    expect(idsOf(await client.call('GET', `/api/files?trashed=true&vaultId=${vault.id}`))).toEqual([inVault.id])
  })

  it('is emptied completely, without deleting other files', async () => {
    const client = clientOf(t)
    const vault = await client.createVault('Gone', 'public')
    await client.hotFile('1', { vaultId: vault.id })
    const [alone, kept] = [await client.hotFile('2'), await client.hotFile('3')]
    await client.call('DELETE', `/api/files/${alone.id}`)
    await client.call('DELETE', `/api/vaults/${vault.id}?force=true`)
    for (const [who, purged] of [
      [clientOf(t), { purgedFiles: 0, purgedVaults: 0 }],
      [client, { purgedFiles: 1, purgedVaults: 1 }],
      [client, { purgedFiles: 0, purgedVaults: 0 }],
    ] as const) {
      expect((await who.call('DELETE', '/api/trash')).body).toEqual(purged)
    }
    expect(idsOf(await client.call('GET', '/api/trash'))).toEqual([])
    expect((await client.call('GET', '/api/vaults?trashed=true')).body.vaults).toEqual([])
    expectMissing(await client.call('POST', `/api/vaults/${vault.id}/restore`))
    expectMissing(await client.call('POST', `/api/files/${alone.id}/restore`))
    expect(idsOf(await client.call('GET', '/api/files'))).toEqual([kept.id])
  })
})
