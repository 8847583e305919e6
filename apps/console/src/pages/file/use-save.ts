import { useSignal } from '@preact/signals'
import type { FileRecord } from '@tideport/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { toastError, toastFailure } from '../../api/toasts.ts'
import { BLOB_BYTES_MAX, canStream, savePrivate } from '../../private/save-private.ts'
import { unlocked } from '../../private/vault-lock.ts'
import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { saveFile } from './save-file.ts'

/** Saves a file as its owner means it; of a vault that is locked, as it is stored. `share`: how much of it is there. */
export function useSave(file: FileRecord) {
  const t = text.value.privacy
  const share = useSignal<number | null>(null)
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  const isOpen = file.wrappedKey !== null && unlocked.value.has(file.vaultId)

  const saveDecrypted = async () => {
    if (share.value !== null) return
    if (!canStream() && (file.plaintextSizeBytes ?? 0) > BLOB_BYTES_MAX)
      return toastFailure(t.tooLarge(bytes(BLOB_BYTES_MAX)))
    try {
      share.value = 0
      const onProgress = (now: number) => {
        share.value = now
      }
      await savePrivate(file, { onProgress, signal: leaving.current.signal })
    } catch (error) {
      // The reader closed the browser's own dialog, or left.
      if (!(error instanceof DOMException && error.name === 'AbortError')) toastFailure(t.notSaved)
    } finally {
      share.value = null
    }
  }
  return {
    label: file.wrappedKey !== null && !isOpen ? t.saveEncrypted : text.value.file.download,
    save: () => void (isOpen ? saveDecrypted() : saveFile(file).catch(toastError)),
    share,
  }
}
