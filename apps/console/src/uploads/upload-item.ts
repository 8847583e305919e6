import type { Progress, UploadItem } from '@tideport/sdk'
import { tellPartMissing } from '../api/newer-build.ts'
import { isPrivateVault } from '../kept/private-vaults.ts'
import { forgetUploads, readUpload } from './journal.ts'
import { changeUpload, type Upload } from './upload-list.ts'

/** Releases an encrypted file, by the upload's key. */
const ends = new Map<string, () => void>()

/** Encrypts files of private vaults. Call `letGo` when the upload has finished. */
export async function itemOf({ key, vaultId, path, file, onConflict }: Upload): Promise<UploadItem> {
  const onProgress = ({ sentBytes, bytesPerSecond }: Progress) => changeUpload(key, { sentBytes, bytesPerSecond })
  const fields = { path, onConflict }
  if (!isPrivateVault(vaultId)) return { key, source: file, fields, onProgress }
  const { source, fields: ofEncryption, end } = await encrypt(key, vaultId, file)
  ends.set(key, end)
  return { key, source, fields: { ...fields, ...ofEncryption }, onProgress }
}

async function encrypt(key: string, vaultId: string, file: File) {
  const { encryptUpload } = await import('../private/encrypt-upload.ts').catch((error: unknown) => {
    void tellPartMissing()
    throw error
  })
  const token = (await readUpload(key))?.token
  try {
    return await encryptUpload(vaultId, file, token)
  } catch (error) {
    if (token === undefined) throw error
    // The token is invalid or belongs to another key, so start again.
    await forgetUploads([key])
    return await encryptUpload(vaultId, file)
  }
}

export function letGo(key: string): void {
  ends.get(key)?.()
  ends.delete(key)
}

export function letGoOfAll(): void {
  for (const key of ends.keys()) letGo(key)
}
