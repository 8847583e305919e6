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

/** A file as it is uploaded to a private vault, whose key has to be open. Rejects with a `PrivateError`. */
export async function encryptUpload(vaultId: string, file: File): Promise<EncryptedUpload> {
  const { id, size, fields } = await callWorker('encrypt', { vaultId, file })
  return {
    source: {
      size,
      type: file.type,
      slice(start, end) {
        noteUse()
        return callWorker('encrypted', { id, start, end })
      },
    },
    fields,
    end: () => void callWorker('forget', { id }).catch(() => {}),
  }
}
