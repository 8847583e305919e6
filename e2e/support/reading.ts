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

/**
 * What every route that leads to a public file's bytes brings, by the route's name; by blob id once there is one. Throws
 * when a route answers anything but 200, with what it said.
 */
export async function readByEveryRoute(client: ApiClient, file: FileRecord): Promise<Record<string, Buffer>> {
  const answers: Record<string, Bytes> = {
    download: await downloadBytes(client, file.id),
    byId: await fetchBytes(publicFileUrl(client, file.id)),
  }
  if (file.storageNetworkBlobId !== null) {
    answers.byBlob = await fetchBytes(publicBlobUrl(client, file.storageNetworkBlobId))
  }
  return Object.fromEntries(Object.entries(answers).map(([route, answer]) => [route, servedBytes(route, answer)]))
}

function servedBytes(route: string, { status, bytes }: Bytes): Buffer {
  if (status !== 200) throw new Error(`${route} was answered ${status} ${bytes.toString('utf8', 0, 500)}`)
  return bytes
}
