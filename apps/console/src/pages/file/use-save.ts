import { useSignal } from '@preact/signals'
import { downloadFile, type FileRecord } from '@tideport/sdk'
import { useEffect, useRef } from 'preact/hooks'
import { bytesUrl } from '../../api/bytes-url.ts'
import { client } from '../../api/client.ts'
import { toastError, toastFailure } from '../../api/toasts.ts'
import { BLOB_BYTES_MAX, canStream, savePrivate } from '../../private/save-private.ts'
import { unlocked } from '../../private/vault-lock.ts'
import { bytes } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import { readRange } from './preview/contents.ts'

/** Saves the decrypted file, or in a locked vault the stored bytes. `share` is the progress. */
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
      // The user closed the browser's dialog or left the page.
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

const patienceMs = 20_000

async function saveFile(file: FileRecord): Promise<void> {
  const answer = await downloadFile(client(), { fileId: file.id, disposition: 'attachment' })
  const link = document.createElement('a')
  link.href = bytesUrl(answer)
  // Another origin's error page would replace the console, with its uploads and open keys.
  if (answer.source === 'hot')
    await readRange(link.href, 0, Math.min(1, file.sizeBytes), AbortSignal.timeout(patienceMs))
  link.download = file.name
  link.rel = 'noreferrer'
  link.click()
}
