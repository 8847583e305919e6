import { randomBytes } from 'node:crypto'
import { type UploadFields, upload } from '@tideport/sdk'
import { waitFor } from '@tideport/testing/wait-for'
import type { ApiClient } from './api-client.ts'
import type { FileRecord, Status, Upload } from './resources.ts'
import { sdkClientOf } from './sdk/sdk-client-of.ts'

export type UploadRequest = {
  vaultId: string
  bytes: Buffer
  name?: string
  mimeType?: string
  more?: object
}

/** Bytes that no other test has, so their blob ID is unique. */
export const uniqueBytes = (size = 2000): Buffer => randomBytes(size)

export async function requestUpload(client: ApiClient, request: UploadRequest): Promise<Upload> {
  const { vaultId, bytes, name = 'report.bin', mimeType = 'application/octet-stream', more } = request
  const fields = { name, mimeType, sizeBytes: bytes.length, vaultId, ...more }
  const { status, body, text } = await client.post<Upload>('/api/files/upload', fields)
  if (status !== 201) throw new Error(`Requesting an upload returned ${status} ${text}`)
  return body
}

/** Step 2: sends the bytes to the store. Returns its status, or 0 if the connection breaks. */
export async function putBytes(upload: Upload, bytes: Buffer, headers: Record<string, string> = {}): Promise<number> {
  try {
    const response = await fetch(upload.uploadUrl, {
      method: 'PUT',
      headers: { ...upload.headers, ...headers },
      body: new Uint8Array(bytes),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return 0
  }
}

export function confirm(client: ApiClient, fileId: string) {
  return client.post<FileRecord>(`/api/files/${fileId}/confirm`)
}

/** Uploads in three steps by HTTP. Returns the file from the confirm. Faulty bytes may be detected later. */
export async function uploadInSteps(client: ApiClient, request: UploadRequest): Promise<FileRecord> {
  const upload = await requestUpload(client, request)
  const stored = await putBytes(upload, request.bytes)
  if (stored !== 200) throw new Error(`The store returned ${stored}`)
  const { status, body, text } = await confirm(client, upload.fileId)
  if (status !== 200) throw new Error(`The confirm returned ${status} ${text}`)
  return body
}

/** Uploads with the SDK, for tests of other features. Returns the file when it is hot. */
export async function uploadFile(
  client: ApiClient,
  request: UploadRequest & { more?: UploadFields | undefined },
): Promise<FileRecord> {
  const { vaultId, bytes, name = 'report.bin', mimeType = 'application/octet-stream', more } = request
  const file = await upload(sdkClientOf(client), new Uint8Array(bytes), { vaultId, name, mimeType, fields: more })
  return file as FileRecord
}

export async function readFile(client: ApiClient, fileId: string): Promise<FileRecord> {
  return (await client.get<FileRecord>(`/api/files/${fileId}`)).body
}

/** Waits until the file has this status, and returns its record. */
export function untilStatus(client: ApiClient, fileId: string, status: Status): Promise<FileRecord> {
  return waitFor(
    async () => {
      const file = await readFile(client, fileId)
      return file.status === status ? file : undefined
    },
    { what: `file ${fileId} to be ${status}`, timeoutMs: 150_000 },
  )
}
