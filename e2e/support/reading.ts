import type { ApiClient } from './api-client.ts'
import type { Download, FileRecord } from './resources.ts'

export type Bytes = { status: number; headers: Headers; bytes: Buffer }

export async function fetchBytes(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Bytes> {
  const response = await fetch(url, { method, headers })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Calls `use` with a download URL, and again with a new one if `use` failed after the URL expired. */
export async function withDownloadUrl<T>(
  client: ApiClient,
  fileId: string,
  use: (url: string, source: Download['source']) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { status, body, text } = await client.get<Download>(`/api/files/${fileId}/download`)
    if (status !== 200) throw new Error(`Requesting a download returned ${status} ${text}`)
    try {
      return await use(body.downloadUrl, body.source)
    } catch (error) {
      if (Date.now() < Date.parse(body.expiresAt)) throw error
    }
  }
}

/** Reads the owner's file by a download URL without credentials. Throws for 403 and 404. */
export function downloadBytes(
  client: ApiClient,
  fileId: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Bytes & { source: string }> {
  return withDownloadUrl(client, fileId, async (url, source) => {
    const answer = await fetchBytes(url, headers, method)
    if (answer.status === 403 || answer.status === 404) throw new Error(`The download returned ${answer.status}`)
    return { ...answer, source }
  })
}

/** A download URL of the owner, which needs no credentials. */
export const downloadUrl = async (client: ApiClient, { id }: FileRecord) =>
  (await client.get<Download>(`/api/files/${id}/download`)).body.downloadUrl

export const publicFileUrl = (client: ApiClient, fileId: string) => `${client.baseUrl}/api/public/files/${fileId}`
export const publicBlobUrl = (client: ApiClient, blobId: string) => `${client.baseUrl}/api/public/blobs/${blobId}`

/** Reads by download URL and public routes, also by blob ID if the file has one. Throws unless all return 200. */
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
