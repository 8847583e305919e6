import { type FileRecord, type Progress, upload } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { callWorker } from './call-worker.ts'
import { noteUse } from './vault-lock.ts'

interface PrivateUpload {
  vaultId: string
  path: string
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** Uploads a file that the worker encrypts on its way, part by part. Its name and its type are not encrypted. */
export async function uploadPrivate(
  file: File,
  { vaultId, path, signal, onProgress }: PrivateUpload,
): Promise<FileRecord> {
  const { id, size, fields } = await callWorker('encrypt', { vaultId, file })
  const source = {
    size,
    slice(start: number, end: number) {
      noteUse()
      return callWorker('encrypted', { id, start, end })
    },
  }
  const mimeType = file.type || 'application/octet-stream'
  try {
    return await upload(client(), source, { vaultId, mimeType, fields: { ...fields, path }, signal, onProgress })
  } finally {
    await callWorker('forget', { id }).catch(() => {})
  }
}
