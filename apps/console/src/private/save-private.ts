import type { FileRecord } from '@tideport/sdk'
import { saveBlob } from '../kept/save-blob.ts'
import { PIECE_BYTES, readPrivate } from './read-private.ts'

/** Limit for browsers in which pages cannot write files, so the complete file must be in memory. */
export const BLOB_BYTES_MAX = 500_000_000

interface SavePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>
}

export const canStream = (): boolean => (globalThis as SavePicker).showSaveFilePicker !== undefined

/** `onProgress` gets a number from 0 to 1. */
export async function savePrivate(
  file: FileRecord,
  { onProgress, signal }: { onProgress: (share: number) => void; signal: AbortSignal },
): Promise<void> {
  const { showSaveFilePicker } = globalThis as SavePicker
  if (showSaveFilePicker === undefined) return await saveInMemory(file, onProgress, signal)
  const handle = await showSaveFilePicker({ suggestedName: file.name })
  const writable = await handle.createWritable()
  try {
    for await (const piece of piecesOf(file, onProgress, signal)) await writable.write(piece)
    await writable.close()
  } catch (error) {
    // Leaves no partly decrypted file under this name.
    await writable.abort().catch(() => {})
    throw error
  }
}

async function saveInMemory(file: FileRecord, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
  const pieces: Blob[] = []
  for await (const piece of piecesOf(file, onProgress, signal)) pieces.push(new Blob([piece]))
  saveBlob(file.name, new Blob(pieces, { type: 'application/octet-stream' }))
}

/** Decrypts the next piece while the previous one is written. */
async function* piecesOf(file: FileRecord, onProgress: (share: number) => void, signal: AbortSignal) {
  const size = file.plaintextSizeBytes ?? 0
  const read = (at: number) => {
    const piece = readPrivate(file, at, Math.min(at + PIECE_BYTES, size))
    // The read may fail before it is awaited.
    piece.catch(() => {})
    return piece
  }
  // Reading one piece of an empty file proves that it is empty.
  let next = read(0)
  for (let at = 0; at === 0 || at < size; at += PIECE_BYTES) {
    signal.throwIfAborted()
    const piece = await next
    if (at + PIECE_BYTES < size) next = read(at + PIECE_BYTES)
    yield piece
    onProgress(size === 0 ? 1 : Math.min(1, (at + PIECE_BYTES) / size))
  }
}
