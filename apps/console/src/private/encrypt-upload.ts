import type { Source } from '@tideport/sdk'
import type { EncryptionFields } from '@tideport/sdk/crypto'
import { callWorker } from './call-worker.ts'
import { noteUse } from './vault-lock.ts'

export interface EncryptedUpload {
  /** Encrypted by the worker, a part at a time, as it is read. */
  source: Source
  /** Go into the upload's request. The name and the type are not encrypted. */
  fields: EncryptionFields
  /** Its file is read no more. */
  end(): void
}

/**
 * A file as it is uploaded to a private vault, whose key has to be open. With a token of before it goes on under the key
 * and the header that were sent then. Rejects with a `PrivateError`, for `decryption` where the token is of another key.
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
