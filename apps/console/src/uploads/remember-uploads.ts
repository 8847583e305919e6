import type { Journal, JournalEntry } from '@tideport/sdk'
import { type KeptUpload, keepHandles, keepUploads, readUpload, readUploads } from './journal.ts'
import { ownerNow } from './owner.ts'
import { listed, type Upload } from './upload-list.ts'

/** Stores uploads before they begin, so that a reload finds them. Entries of an earlier run stay. */
export async function rememberUploads(added: readonly Upload[]): Promise<void> {
  const known = await readUploads()
  await keepUploads(added.map((upload) => ({ ...known.get(upload.key), ...keptOf(upload) })))
  await keepHandles(
    added.flatMap(({ key, handle, root }) =>
      handle === undefined || root === undefined ? [] : [{ key, handle, root }],
    ),
  )
}

export const journal: Journal = {
  read: readUpload,
  async write(key: string, entry: JournalEntry) {
    const upload = listed.get(key)
    if (upload !== undefined) await keepUploads([{ ...keptOf(upload), ...entry }])
  },
}

function keptOf({ key, vaultId, path, onConflict, handle }: Upload): KeptUpload {
  return { key, vaultId, path, onConflict, owner: ownerNow(), hasHandle: handle !== undefined }
}
