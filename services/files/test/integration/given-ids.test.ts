import { purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { claimVaults, purgeVault } from '@tideport/file-lifecycle/removal/trash-vault'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { type Answer, clientOf, visitorOf } from '../client.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

type Client = ReturnType<typeof clientOf>
const never = new AbortController().signal
/** Of a day ago, as it would come from elsewhere. */
const older = () => uuidv7({ msecs: Date.now() - 86_400_000 })
const taken = { status: 409, body: { code: 'id_taken', error: 'The id is taken, or was once' } }

async function ask(client: Client, id: unknown, { key, ...fields }: Record<string, unknown> = {}): Promise<Answer> {
  const vaultId = await client.defaultVault()
  const json = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5, vaultId, id, ...fields }
  return await client.call('POST', '/api/files/upload', {
    json,
    ...(key !== undefined && { headers: { 'idempotency-key': String(key) } }),
  })
}

/** All that follows once its owner has deleted a file for good. */
async function purge(client: Client, fileId: string): Promise<void> {
  await client.call('DELETE', `/api/files/${fileId}?permanent=true`)
  const outside = { ...t, log: createLogger({ service: 'purging', level: 'silent' }) }
  const settled = `update file set cleanup_after = now(), purge_due_at = now(), claimed_until = null where id = $1`
  do await t.database.sql(settled, [fileId])
  while ((await purgeFile(outside, fileId, never)) !== 'gone')
}

describe('an id that a client gives', () => {
  it('is that of the vault, and of files in either way, which are read by it', async () => {
    const client = clientOf(t)
    const [vaultId, first, second] = [older(), older(), older()]
    const vault = await client.call('POST', '/api/vaults', {
      json: { id: vaultId.toUpperCase(), name: 'Kept', visibility: 'public' },
    })
    expect(vault).toMatchObject({ status: 201, body: { id: vaultId } })
    expect(await client.hotFile('first', { vaultId, id: first })).toMatchObject({ id: first })
    const path = `/api/vaults/${vaultId}/content/b.txt?id=${second}`
    expect(await client.call('PUT', path)).toMatchObject({ status: 201, body: { id: second } })
    expect((await visitorOf(t)(`/api/public/files/${first}`)).bytes.toString()).toBe('first')
    const { timeline } = (await client.call('GET', `/api/files/${first}/timeline`)).body
    expect(timeline.map(({ type }: { type: string }) => type)).toEqual(['upload.requested', 'file.hot'])
  })

  it('tells nobody that it is taken who asks for a vault of another account', async () => {
    const [owner, stranger] = [clientOf(t), clientOf(t)]
    const vaultId = await owner.defaultVault()
    const { id: held } = await owner.hotFile('a')
    await stranger.defaultVault()
    for (const id of [older(), held]) {
      expect(await ask(stranger, id, { vaultId })).toMatchObject({ status: 404, body: { code: 'not_found' } })
      const put = await stranger.call('PUT', `/api/vaults/${vaultId}/content/b.txt?id=${id}`)
      expect(put).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })

  it('is a UUIDv7 that is not of the future', async () => {
    const client = clientOf(t)
    const ahead = (msecs: number) => uuidv7({ msecs: Date.now() + msecs })
    for (const id of [uuidv4(), 'x', '', 7, ahead(3_600_000)]) {
      expect(await ask(client, id)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    }
    for (const id of [null, undefined, ahead(10_000)]) expect(await ask(client, id)).toMatchObject({ status: 201 })
  })

  it('is refused in the same words where somebody has it, had it, or has it in the trash', async () => {
    const [client, other] = [clientOf(t), clientOf(t)]
    await other.defaultVault()
    const [live, trashed, purged] = [await client.hotFile('a'), await client.hotFile('b'), await client.hotFile('c')]
    const vault = await client.createVault('A', 'public')
    const gone = await client.createVault('Gone', 'public')
    await client.call('DELETE', `/api/files/${trashed.id}`)
    await purge(client, purged.id)
    await client.call('DELETE', `/api/vaults/${gone.id}`)
    await t.database.sql('update vault set purge_due_at = now() where id = $1', [gone.id])
    const settle = { settleSeconds: 0, networks: t.networks }
    for (const id of await claimVaults(t.db, 100, settle)) await purgeVault(t.db, id, settle, never)
    expect((await t.database.sql('select from vault where id = $1', [gone.id])).length).toBe(0)
    for (const { id } of [live, trashed, purged, vault, gone, { id: client.accountId }]) {
      for (const who of [client, other]) {
        const asVault = { id, name: 'B', visibility: 'public' }
        expect(await ask(who, id)).toMatchObject(taken)
        expect(await who.call('POST', '/api/vaults', { json: asVault })).toMatchObject(taken)
        const path = `/api/vaults/${await who.defaultVault()}/content/x?id=${id}`
        expect(await who.call('PUT', path)).toMatchObject(taken)
      }
    }
    expect((await other.call('GET', '/api/account')).body.usage).toMatchObject({ fileCount: 0, vaultCount: 1 })
  })

  it('goes to one of all who want it at once, whoever they are and whatever it is for', async () => {
    for (const key of [undefined, 'k']) {
      const [id, clients] = [older(), [clientOf(t), clientOf(t)]]
      const asVault = { id, name: 'A', visibility: 'private' }
      const answers = await Promise.all(
        [...clients, ...clients].flatMap((client, index) => [
          ask(client, id, { name: `${index}.txt`, ...(key && { key: `${key}${index}` }) }),
          client.call('POST', '/api/vaults', { json: asVault }),
        ]),
      )
      const [won, ...lost] = answers.toSorted((a, b) => a.status - b.status)
      expect(won?.status).toBe(201)
      for (const answer of lost) expect(answer).toMatchObject(taken)
      const rows = await t.database.sql(
        'select id from file where id = $1 union all select id from vault where id = $1',
        [id],
      )
      expect(rows).toHaveLength(1)
    }
  })

  it('makes one file of equal requests with a key', async () => {
    const [client, id] = [clientOf(t), older()]
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(client, id, { key: 'k' })))
    for (const { status, body } of answers) expect([status, body.fileId]).toEqual([201, id])
    expect(await ask(client, older(), { key: 'k' })).toMatchObject({ status: 422 })
    expect(await ask(client, id, { key: 'other' })).toMatchObject(taken)
  })

  it('is free again after a refusal, and once an upload that came to nothing is gone', async () => {
    const [client, id] = [clientOf(t), older()]
    expect(await ask(client, id, { vaultId: older() })).toMatchObject({ status: 404 })
    expect(await ask(client, id, { wrappedKey: 'x' })).toMatchObject({ status: 400 })
    expect(await ask(client, id)).toMatchObject({ status: 201 })
    await purge(client, id)
    const other = clientOf(t)
    expect(await ask(other, id)).toMatchObject({ status: 201, body: { fileId: id } })
  })

  it('does not say which file stands for a path: the one that came last does', async () => {
    const client = clientOf(t)
    await client.hotFile('younger id', { name: 'a' })
    await client.hotFile('came last', { name: 'a', id: older() })
    const path = `/api/vaults/${await client.defaultVault()}/content/a`
    expect((await client.call('GET', path)).bytes.toString()).toBe('came last')
  })
})
