import type { Source } from '@tideport/sdk'
import type { EncryptionFields } from '@tideport/sdk/crypto'
import { callWorker } from './call-worker.ts'
import { noteUse } from './vault-lock.ts'

export interface EncryptedUpload {
  /** The source, which the worker encrypts part by part. */
  source: Source
  /** Fields of the upload request. The name and the type are not encrypted. */
  fields: EncryptionFields
  end(): void
}

/**
 * The vault must be open. A token continues an earlier upload. Rejects with a `PrivateError`; `decryption` means a
 * token of another key.
 */
export async function encryptUpload(vaultId: string, file: File, token?: string): Promise<EncryptedUpload> {
  const { id, size, fields } = await callWorker('encrypt', { vaultId, file, token })
  return {
    source: {
      size,
      type: file.type,
      original: file,
      slice(start, end) {
        noteUse()
        return callWorker('encrypted', { id, start, end })
      },
    },
    fields,
    end: () => void callWorker('forget', { id }).catch(() => {}),
  }
}
