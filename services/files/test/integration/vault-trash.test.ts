import { trashVault } from '@tideport/file-lifecycle/removal/trash-vault'
import type { KyselyPlugin } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { restoreVaultRoute } from '../../src/vaults/trash-vault.ts'
import { sharedBundle } from '../bundle.ts'
import { clientOf, put, visitorOf } from '../client.ts'

const t = sharedBundle()

describe('DELETE /api/vaults/{id}', () => {
  it('trashes a vault without live files, and returns the same when repeated', async () => {
    const client = clientOf(t)
    const vault = await client.createVault('Photos', 'public')
    const file = await client.hotFile('hello', { vaultId: vault.id })
    const refused = await client.call('DELETE', `/api/vaults/${vault.id}`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'vault_not_empty', details: { fileCount: 1 } } })
    await client.call('DELETE', `/api/files/${file.id}`)
    for (let time = 0; time < 2; time += 1) {
      const deleted = await client.call('DELETE', `/api/vaults/${vault.id}`)
      expect(deleted).toMatchObject({ status: 200, body: { id: vault.id, deletedAt: expect.any(String) } })
    }
    for (const path of ['', '/usage']) {
      expect((await client.call('GET', `/api/vaults/${vault.id}${path}`)).status).toBe(404)
    }
    expect((await client.call('PATCH', `/api/vaults/${vault.id}`, { json: { name: 'x' } })).status).toBe(404)
    expect((await client.call('GET', '/api/vaults')).body.vaults).toHaveLength(1)
    expect((await client.call('GET', '/api/vaults?trashed=true')).body.vaults).toMatchObject([{ id: vault.id }])
    // The file was trashed separately, so it can be restored only after its vault.
    const early = await client.call('POST', `/api/files/${file.id}/restore`)
    expect(early).toMatchObject({ status: 409, body: { code: 'state_conflict', details: { vaultId: vault.id } } })
    expect((await client.call('POST', `/api/vaults/${vault.id}/restore`)).status).toBe(200)
    expect((await client.call('GET', `/api/files/${file.id}`)).status).toBe(404)
    expect((await client.call('POST', `/api/files/${file.id}/restore`)).status).toBe(200)
  })

  it('with force succeeds while another request restores the vault', async () => {
    const client = clientOf(t)
    const { id } = await client.createVault('Photos', 'public')
    await client.hotFile('hello', { vaultId: id })
    const both = [`/api/vaults/${id}?force=true`, `/api/vaults/${id}/restore`]
    for (let round = 0; round < 40; round += 1) {
      const answers = await Promise.all(
        [...both, ...both, ...both].map((path) => client.call(path.endsWith('restore') ? 'POST' : 'DELETE', path)),
      )
      expect(answers.filter(({ status }) => status === 409)).toEqual([])
    }
  })

  it('never trashes the default vault', async () => {
    const client = clientOf(t)
    const id = await client.defaultVault()
    for (const query of ['', '?force=true']) {
      const refused = await client.call('DELETE', `/api/vaults/${id}${query}`)
      expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
    }
  })

  it('with force trashes the vault with its files, and a restore undoes this', async () => {
    const client = clientOf(t)
    const visit = visitorOf(t)
    const vault = await client.createVault('Photos', 'public')
    const file = await client.hotFile('hello', { vaultId: vault.id })
    const { body: open } = await client.requestUpload({ vaultId: vault.id, sizeBytes: 5 })
    await put(open, 'world')
    const deleted = await client.call('DELETE', `/api/vaults/${vault.id}?force=true`)
    expect(deleted).toMatchObject({ status: 200, body: { fileCount: 2 } })
    for (const answer of [
      await client.call('GET', `/api/files/${file.id}`),
      await client.call('POST', `/api/files/${open.fileId}/confirm`),
      await client.requestUpload({ vaultId: vault.id, sizeBytes: 1 }),
      await visit(`/api/public/files/${file.id}`),
      await visit(`/api/public/vaults/${client.accountId}/photos`),
    ]) {
      expect(answer.status).toBe(404)
    }
    expect((await client.call('GET', '/api/trash')).body.files).toMatchObject([
      { id: file.id, deletedAt: deleted.body.deletedAt },
    ])

    for (let time = 0; time < 2; time += 1) {
      const restored = await client.call('POST', `/api/vaults/${vault.id}/restore`)
      expect(restored).toMatchObject({ status: 200, body: { id: vault.id, slug: 'photos', deletedAt: null } })
    }
    expect((await visit(`/api/public/files/${file.id}`)).bytes.toString()).toBe('hello')
    expect((await client.call('POST', `/api/files/${open.fileId}/confirm`)).status).toBe(200)
  })

  it('with force does not change the rows of files, so any number of files takes one statement', async () => {
    const client = clientOf(t)
    const vault = await client.createVault('Many', 'public')
    await client.hotFile('x', { vaultId: vault.id })
    const before = await t.database.sql('select id, version, updated_at from file where vault_id = $1', [vault.id])
    await client.call('DELETE', `/api/vaults/${vault.id}?force=true`)
    const after = await t.database.sql('select id, version, updated_at from file where vault_id = $1', [vault.id])
    expect(after).toEqual(before)
  })
})

describe('POST /api/vaults/{id}/restore', () => {
  it('restores a vault that is trashed by a concurrent request', async () => {
    const client = clientOf(t)
    const own = { accountId: client.accountId, vaultId: (await client.createVault('Photos', 'public')).id }
    // Runs after the first statement, which still found the vault outside the trash.
    let asked = 0
    const meanwhile: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        asked += 1
        if (asked === 1) await trashVault(t.db, own, { force: true, retentionSeconds: 60 })
        return result
      },
    }
    const { handle } = restoreVaultRoute({ db: t.db.withPlugin(meanwhile), relay: { wake: () => {} } })
    const { accountId, vaultId } = own
    const answer = await handle({ principal: { accountId }, params: { vaultId } } as never)
    expect(answer).toMatchObject({ id: vaultId, deletedAt: null })
  })
})

const soon = '2999-01-02T03:04:05.678Z'
const DAY = 86_400

/** Seconds from a file's creation to its expiry. Null: the file does not expire. */
const lifeOf = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }) =>
  expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000)

describe('the expiry of files', () => {
  it('is set by their request, otherwise by their vault, otherwise not at all', async () => {
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

  it('is correct for concurrent uploads to different vaults', async () => {
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

  it('can be changed for a file and for new files of a vault, and is in the timeline', async () => {
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

  it('is rejected if it is invalid or in the past, except for a repeated request', async () => {
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

    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    // The client chooses the ID: an ID that the service creates while the clock is ahead would move all its later IDs
    // into the future.
    const id = uuidv7()
    const repeat = () => {
      const json = { id, name: 'a.txt', mimeType: 'text/plain', sizeBytes: 3, vaultId, expiresAt }
      return client.call('POST', '/api/files/upload', { json, headers: { 'idempotency-key': 'once' } })
    }
    const first = await repeat()
    expect(first.status).toBe(201)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expiresAt) })
    onTestFinished(() => void vi.useRealTimers())
    expect((await repeat()).body.fileId).toBe(first.body.fileId)
  })
})
