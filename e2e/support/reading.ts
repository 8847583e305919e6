import type { ApiClient } from './api-client.ts'
import type { Download, FileRecord } from './resources.ts'

/** What a GET brought. */
export type Bytes = { status: number; headers: Headers; bytes: Buffer }

export async function fetchBytes(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Bytes> {
  const response = await fetch(url, { method, headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/**
 * The owner's way to the bytes: asks for a download URL and fetches it without any credentials. These URLs live for
 * seconds; on a busy machine one may be over before it is opened, and another is asked for.
 */
export async function downloadBytes(client: ApiClient, fileId: string): Promise<Bytes & { source: string }> {
  for (;;) {
    const { status, body, text } = await client.get<Download>(`/api/files/${fileId}/download`)
    if (status !== 200) throw new Error(`Asking for a download was answered ${status} ${text}`)
    const answer = await fetchBytes(body.downloadUrl)
    if (answer.status < 400 || Date.now() < Date.parse(body.expiresAt)) return { ...answer, source: body.source }
  }
}

/** A URL of the owner's that needs no credentials. */
export const downloadUrl = async (client: ApiClient, { id }: FileRecord) =>
  (await client.get<Download>(`/api/files/${id}/download`)).body.downloadUrl

export const publicFileUrl = (client: ApiClient, fileId: string) => `${client.baseUrl}/api/public/files/${fileId}`
export const publicBlobUrl = (client: ApiClient, blobId: string) => `${client.baseUrl}/api/public/blobs/${blobId}`

/** What every route that leads to a public file's bytes brings, by the route's name; by blob id once there is one. */
export async function readByEveryRoute(client: ApiClient, file: FileRecord): Promise<Record<string, Buffer>> {
  const download = await downloadBytes(client, file.id)
  const byId = await fetchBytes(publicFileUrl(client, file.id))
  const routes = { download: download.bytes, byId: byId.bytes }
  if (file.storageNetworkBlobId === null) return routes
  const byBlob = await fetchBytes(publicBlobUrl(client, file.storageNetworkBlobId))
  return { ...routes, byBlob: byBlob.bytes }
}
