import { expect, test } from 'vitest'
import { accountId, anonymous, createKey, createVault, withToken } from './support/account.ts'
import { type ApiClient, createApiClient } from './support/api-client.ts'
import { fillPath, guardedOperations, type Operation, operatorOperations } from './support/operations.ts'
import { fetchBytes, publicFileUrl } from './support/reading.ts'
import type { ErrorBody, Vault, Webhook } from './support/resources.ts'
import { freshAccount, sharedOperator } from './support/shared-stack.ts'
import { putBytes, requestUpload, uniqueBytes, uploadFile } from './support/uploads.ts'

/** The request bodies of operations that name a resource. */
const bodies: Record<string, object> = {
  renewUploadUrls: { partNumbers: [1] },
  updateFile: { name: 'Mine now' },
  updateVault: { name: 'Mine now' },
  updateWebhook: { active: true },
  rotateApiKey: { overlapSeconds: 3600 },
  moveFiles: { prefix: 'none/', to: 'nowhere/' },
  copyFiles: { prefix: 'none/', to: 'nowhere/' },
  trashFiles: { ids: ['none'] },
  restoreFiles: { ids: ['none'] },
  publishFiles: { ids: ['none'] },
  deleteFiles: { ids: ['none'] },
  createDownloadUrls: { ids: ['none'] },
  createFileLink: {},
  createFolderLink: { prefix: '' },
}

/** Operations that return 409 even to the owner: for a healthy confirmed file, and for a vault that contains a file. */
const conflicts = new Set(['renewUploadUrls', 'listUploadedParts', 'retryFile', 'deleteVault'])
/** Operations that create an object, and return 201. */
const creations = new Set(['putContent', 'postContent', 'rotateApiKey', 'createFileLink', 'createFolderLink'])

const permittedOn = ({ id }: Operation) => (conflicts.has(id) ? 409 : creations.has(id) ? 201 : 200)

/** Sorts deletions last, and the deletion of a vault after all others. */
const deletes = ({ id, method }: Operation) => (id === 'deleteVault' ? 2 : Number(method === 'DELETE'))

/**
 * Operations whose path names a resource, without deletions first. Passkeys belong to the installation's owner, and the
 * tests of auth cover them.
 */
const namingOperations = guardedOperations
  .filter(({ path }) => path.includes('{') && !path.includes('{passkeyId}'))
  .toSorted((a, b) => deletes(a) - deletes(b))

/** Calls the operation on these resources. Resources without an ID here do not exist. */
function callOn(client: ApiClient, operation: Operation, ids: Record<string, string> = {}) {
  const body = bodies[operation.id]
  return client.call<ErrorBody>(operation.method, fillPath(operation, ids), body ? { body } : {})
}

/** An account with one object of each kind, and their IDs. */
async function settledAccount() {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const file = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  const key = await createKey(client)
  const webhook = await client.post<Webhook>('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['file.cold'] })
  const delivery = await client.post<{ id: string }>(`/api/webhooks/${webhook.body.id}/test`)
  const link = await client.post<{ id: string }>(`/api/vaults/${vault.id}/links`, { prefix: '' })
  const ids = { vaultId: vault.id, path: file.name, fileId: file.id, apiKeyId: key.id, webhookId: webhook.body.id }
  const many = await client.post<{ job: { id: string } }>(`/api/vaults/${vault.id}/trash`, { prefix: 'none' })
  return { client, ids: { ...ids, deliveryId: delivery.body.id, jobId: many.body.job.id, linkId: link.body.id } }
}

test('checks the scope before the owner, for every route, scope, and owner', async () => {
  const [owner, stranger] = [await settledAccount(), freshAccount()]
  const scopes = [...new Set(guardedOperations.map(({ scope }) => scope as string))]
  const keys = await Promise.all(
    scopes.map(async (scope) => {
      const [own, foreign] = [await createKey(owner.client, { scopes: [scope] }), await createKey(stranger, { scopes: [scope] })] // biome-ignore format: one pair
      return { scope, own: withToken(stranger, own.key), foreign: withToken(stranger, foreign.key) }
    }),
  )
  const judged: Record<string, number> = {}
  for (const operation of namingOperations) {
    for (const { scope, own, foreign } of keys) {
      const answers = { own: await callOn(own, operation, owner.ids), foreign: await callOn(foreign, operation, owner.ids) } // biome-ignore format: one pair
      for (const [whose, { status }] of Object.entries(answers)) {
        // A key can be rotated only by a login or with the key itself.
        const byOwner = operation.id === 'rotateApiKey' ? 403 : permittedOn(operation)
        const permitted = whose === 'foreign' ? 404 : byOwner
        const expected = scope === operation.scope ? permitted : 403
        expect(status, `${operation.id} with ${scope} on the ${whose} resource`).toBe(expected)
        judged[expected] = (judged[expected] ?? 0) + 1
      }
    }
  }
  const routes = namingOperations.length
  expect(judged['403']).toBe(routes * (scopes.length - 1) * 2 + 1)
  expect(judged['404']).toBe(routes)
})

test('returns the same 404 for malformed IDs on every route', async () => {
  const client = freshAccount()
  for (const operation of namingOperations) {
    const unknown = await callOn(client, operation)
    for (const id of ['1', 'not-an-id', '%00', '..%2f..', 'a'.repeat(300), '🗂']) {
      const names = ['vaultId', 'fileId', 'apiKeyId', 'webhookId', 'deliveryId', 'jobId', 'linkId']
      const malformed = await callOn(client, operation, Object.fromEntries(names.map((name) => [name, id])))
      expect([malformed.status, malformed.text], `${operation.id} with ${id}`).toEqual([404, unknown.text])
    }
  }
})

const upperCase = (ids: Record<string, string>) =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, name === 'path' ? id : id.toUpperCase()]))

test('accepts IDs in upper and lower case on every route and returns them in lower case', async () => {
  const { client, ids } = await settledAccount()
  // `confirmUpload` needs the file of an open upload.
  const { id: otherVault } = await createVault(client, 'public')
  const upload = await requestUpload(client, { vaultId: otherVault, bytes: Buffer.of(1) })
  await putBytes(upload, Buffer.of(1))
  const open = { ...ids, fileId: upload.fileId }
  const userId = await accountId(client)
  const { body: vault } = await client.get<Vault>(`/api/vaults/${ids.vaultId}`)
  for (const operation of namingOperations) {
    const of = operation.id === 'confirmUpload' ? open : ids
    const { status, text } = await callOn(client, operation, upperCase(of))
    expect(status, operation.id).toBe(permittedOn(operation))
    const { path: _, ...named } = upperCase(of)
    for (const id of Object.values(named)) expect(text, operation.id).not.toContain(id)
    if (operation.id !== 'downloadFile') continue
    expect((await fetchBytes(publicFileUrl(client, ids.fileId.toUpperCase()))).status).toBe(200)
    const page = await client.get(`/api/public/vaults/${userId.toUpperCase()}/${vault.slug}`)
    expect([page.status, page.text.includes(ids.fileId)]).toEqual([200, true])
  }
})

test('operator routes return the 404 of unknown paths to other users, even with a key of an operator', async () => {
  const someone = freshAccount()
  const missing = await someone.get('/api/operators')
  const key = await createKey(createApiClient(someone.baseUrl, { 'X-Dev-Provider-Id': sharedOperator }))
  expect(operatorOperations.length).toBeGreaterThan(2)
  for (const client of [someone, anonymous(someone), withToken(someone, key.key)]) {
    for (const operation of operatorOperations) {
      const { status, text } = await client.call(operation.method, fillPath(operation), { body: undefined })
      expect([status, text], operation.id).toEqual([404, missing.text])
    }
  }
})
