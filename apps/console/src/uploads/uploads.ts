import { forgetUploads } from './journal.ts'
import type { PickedFile } from './picked-files.ts'
import { rememberUploads } from './remember-uploads.ts'
import { pauseUploads, resumeUploads, sendUploads } from './send-uploads.ts'
import { changeUpload, emptyList, listed, listUploads, type Upload } from './upload-list.ts'
import { tryNow } from './wait-for-service.ts'

/** Where files go. */
export interface Target {
  vaultId: string
  /** With a slash at its end; empty: none. */
  folder: string
}

/**
 * Uploads files into a folder of a vault, with the paths that they have. One that was begun before, with the same bytes
 * at the same place, goes on where it was.
 */
export function addUploads({ vaultId, folder }: Target, picked: readonly PickedFile[]): void {
  const added: Upload[] = []
  for (const { path: own, file, handle, root } of picked) {
    const path = `${folder}${own}`
    const key = JSON.stringify([vaultId, path, file.size, file.lastModified])
    if (listed.get(key)?.state === 'sending') continue
    const begun = { state: 'waiting', sentBytes: 0, bytesPerSecond: null, error: null } as const
    added.push({ key, vaultId, path, file, handle, root, ...begun })
  }
  listUploads(added)
  void rememberUploads(added).then(sendUploads)
}

/** Those that failed are tried again. */
export function retryUploads(): void {
  for (const { key, state } of listed.values())
    if (state === 'failed') changeUpload(key, { state: 'waiting', error: null })
  tryNow()
  sendUploads()
}

/** Ends all that is under way and forgets what is over. */
export async function clearUploads(): Promise<void> {
  const keys = [...listed.keys()]
  endUploads()
  await forgetUploads(keys)
}

/** Ends all that is under way; what was begun can be gone on with. */
export function endUploads(): void {
  pauseUploads()
  emptyList()
  tryNow()
  resumeUploads()
}
