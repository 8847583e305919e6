import type { FileRecord } from '@tideport/sdk'
import { readPrivate } from './read-private.ts'
import { serveMedia } from './serve-media.ts'

/** The bytes of an encrypted file as its owner means them; its vault has to be open. */
export function privateContents(file: FileRecord) {
  const sizeBytes = file.plaintextSizeBytes ?? 0
  return {
    sizeBytes,
    async pictureUrl() {
      const bytes = await readPrivate(file, 0, sizeBytes)
      // The type is one of those that are shown: a picture of pixels, also in a tab of its own.
      const url = URL.createObjectURL(new Blob([bytes], { type: file.mimeType.split(';')[0] ?? '' }))
      return { url, release: () => URL.revokeObjectURL(url) }
    },
    mediaUrl: () => serveMedia(file),
    read: (start: number, end: number) => readPrivate(file, start, end),
  }
}
