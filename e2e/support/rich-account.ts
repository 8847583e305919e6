import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { accountId, createKey, createVault } from './account.ts'
import type { ApiClient } from './api-client.ts'
import { seedFiles } from './database.ts'
import { encryptionFields } from './encryption-fields.ts'
import { downloadUrl } from './reading.ts'
import type { Delivery, FileRecord, Vault, Webhook } from './resources.ts'
import { freshAccount, sharedStack } from './shared-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from './uploads.ts'

/** Part of the names of all folders, files, tags, and other objects of the account. */
export const marker = 'zq-secret'
/** Part of the names of its vaults, which keys that are limited to prefixes can see. */
export const vaultMarker = 'zq-vault'
/** The prefix of the only files that a limited key of the account may see. */
export const visiblePrefix = 'zq-open/'

const folder = `${marker}-folder/`
const encrypted = Object.entries(encryptionFields()).map(([name, value]): [string, string] => [name, `${value}`])

async function put(client: ApiClient, { id, visibility }: Vault, path: string): Promise<FileRecord> {
  const fields = new URLSearchParams(visibility === 'private' ? encrypted : [])
  if (path.includes(marker)) fields.append('tag', `${marker}-tag`)
  if (visibility === 'public') fields.append(`meta.${marker}`, marker)
  const answer = await client.call<FileRecord>('PUT', `/api/vaults/${id}/content/${path}?${fields}`, {
    body: path,
    headers: { 'Content-Type': 'text/plain' },
  })
  if (answer.status !== 201) throw new Error(`PUT of ${path} returned ${answer.status} ${answer.text}`)
  return answer.body
}

type Started = { job: { id: string; state: string } }

async function copy(client: ApiClient, { id }: Vault, prefix: string, to: string): Promise<string> {
  const { body, status, text } = await client.post<Started>(`/api/vaults/${id}/copy`, { prefix, to })
  if (status !== 200) throw new Error(`The copy returned ${status} ${text}`)
  const jobId = body.job.id
  const isDone = async () => (await client.get<Started['job']>(`/api/jobs/${jobId}`)).body.state === 'done'
  await waitFor(isDone, { what: `the copy to ${to}` })
  return jobId
}

/** Creates two links of each kind, so their lists have a next page. One link is revoked. */
async function makeLinks(client: ApiClient, vault: Vault, file: FileRecord) {
  type Made = { id: string; url: string }
  const made: Made[] = []
  for (const [path, body] of [
    [`/api/files/${file.id}/links`, {}],
    [`/api/files/${file.id}/links`, { password: `${marker}-password` }],
    [`/api/vaults/${vault.id}/links`, { prefix: folder }],
    [`/api/vaults/${vault.id}/links`, { prefix: '' }],
  ] as const) {
    const { status, body: link, text } = await client.post<Made>(path, body)
    if (status !== 201) throw new Error(`Creating a link returned ${status} ${text}`)
    made.push(link)
  }
  const [{ id }, , { id: revoked, url }] = made as [Made, Made, Made]
  await client.delete(`/api/links/${revoked}`)
  return { linkIds: made.map((link) => link.id), linkId: id, token: new URL(url).pathname.replace('/s/', '') }
}

async function makeWebhook(client: ApiClient, url: string) {
  const body = { url: `${url}${marker}`, events: ['vault.created'] }
  const { id: webhookId } = (await client.post<Webhook>('/api/webhooks', body)).body
  await client.post<Webhook>('/api/webhooks', body)
  for (const _ of 'ab') await client.post<Delivery>(`/api/webhooks/${webhookId}/test`)
  type Listed = { deliveries: Delivery[] }
  const deliveries = await waitFor(
    async () => {
      const { body: listed } = await client.get<Listed>(`/api/webhooks/${webhookId}/deliveries`)
      return listed.deliveries.length > 1 && listed.deliveries.every(({ success }) => success) && listed.deliveries
    },
    { what: 'the deliveries' },
  )
  return { webhookId, deliveryId: (deliveries[0] as Delivery).id }
}

/** Creates an account with several objects of every kind. Disposing closes the receiver of its webhook. */
export async function richAccount() {
  const client = freshAccount()
  const receiver = await startReceiver()
  const userId = await accountId(client)
  const webhook = await makeWebhook(client, receiver.url)
  const rich = await createVault(client, 'private', `${vaultMarker}-rich`)
  const shown = await createVault(client, 'public', `${vaultMarker}-shown`)
  const trashed = await createVault(client, 'private', `${vaultMarker}-trashed`)
  // Keys that are limited to this vault may see all of it.
  const open = await createVault(client, 'public', 'Open')
  const early = await put(client, rich, `${folder}${marker}-early.txt`)
  const visible = await put(client, rich, `${visiblePrefix}one.txt`)
  const openFile = await uploadFile(client, { vaultId: open.id, bytes: uniqueBytes(10) })
  const inTrash = [await put(client, rich, `${marker}-trashed.txt`), await put(client, shown, `${marker}-trashed.txt`)]
  for (const { id } of inTrash) await client.delete(`/api/files/${id}`)
  for (const name of ['a', 'b']) await put(client, trashed, `${folder}${name}.txt`)
  await client.delete(`/api/vaults/${trashed.id}?force=true`)
  const published = await put(client, shown, `${folder}${marker}-public.txt`)
  const { storageNetworkBlobId } = await untilStatus(client, early.id, 'cold')
  await Promise.all([visible, openFile].map(({ id }) => untilStatus(client, id, 'cold')))
  await copy(client, rich, folder, `${marker}-copies/`)
  const jobId = await copy(client, rich, folder, `${marker}-again/`)
  // More rows than one page scans.
  await seedFiles(sharedStack(), { vaultId: rich.id, folder: `${folder}many/`, count: 2200 })
  for (const path of [`${marker}-kept/`, `${marker}-nested/inner/`, `${folder}${marker}-kept/`])
    await client.call('PUT', `/api/vaults/${rich.id}/folders/${path}`)
  const links = await makeLinks(client, rich, early)
  const key = await createKey(client, { name: `${marker}-key` })
  // The URL of a file that the requests do not name. Otherwise it would open that file until it expires.
  const signed = new URL(await downloadUrl(client, visible)).searchParams
  const ids = [userId, early, published, rich, shown, trashed, key, ...inTrash].map((one) => (typeof one === 'string' ? one : one.id)) // biome-ignore format: one list
  return {
    client,
    vaults: { rich, shown, trashed, open },
    files: { early, visible, open: openFile, trashed: inTrash.map(({ id }) => id) },
    folder,
    userId,
    apiKeyId: key.id,
    blobId: storageNetworkBlobId as string,
    jobId,
    signed,
    ...links,
    ...webhook,
    /** Strings that no caller without access may see. */
    hidden: [marker, vaultMarker, ...ids, jobId, ...links.linkIds, ...Object.values(webhook)],
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

export type RichAccount = Awaited<ReturnType<typeof richAccount>>
