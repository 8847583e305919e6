import type { FileRecord } from '@tideport/sdk'
import { tellPartMissing } from '../api/newer-build.ts'
import { consoleUrl } from '../base.ts'
import type { MediaAnswer, MediaQuestion } from './media-protocol.ts'
import workerUrl from './media-service-worker.ts?worker&url'
import { PIECE_BYTES, readPrivate } from './read-private.ts'
import { trustedScriptUrl } from './trusted-script-url.ts'

const START_MS = 15_000
/** The shown file, which is the only one that is served. */
let shown: FileRecord | null = null

export function privateContents(file: FileRecord) {
  const sizeBytes = file.plaintextSizeBytes ?? 0
  return {
    sizeBytes,
    async pictureUrl() {
      const bytes = await readPrivate(file, 0, sizeBytes)
      // Only bitmaps reach this code. They are safe in a separate tab.
      const url = URL.createObjectURL(new Blob([bytes], { type: file.mimeType.split(';')[0] ?? '' }))
      return { url, release: () => URL.revokeObjectURL(url) }
    },
    mediaUrl: () => serveMedia(file),
    read: (start: number, end: number) => readPrivate(file, start, end),
  }
}

/** Rejects where the browser has no service workers, as in some private windows. */
async function serveMedia(file: FileRecord): Promise<string> {
  const container = navigator.serviceWorker
  shown = file
  container.onmessage = ({ data, ports: [port] }: MessageEvent<MediaQuestion>) => void answer(data, port as MessagePort)
  const scope = consoleUrl.pathname.replace(/\/$/, '')
  // After an update, this build's script no longer exists, but a service worker that another tab registered also works.
  await container.register(trustedScriptUrl(workerUrl), { scope }).catch((error: unknown) => {
    void tellPartMissing()
    if (container.controller === null) throw error
  })
  if (container.controller === null) await untilControlled(container)
  // Browsers do not request a failed URL again, so each URL is new.
  return new URL(`private-media/${file.id}?${crypto.randomUUID()}`, consoleUrl).href
}

function untilControlled(container: ServiceWorkerContainer): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The service worker did not start')), START_MS)
    container.addEventListener(
      'controllerchange',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

async function answer({ fileId, start, end }: MediaQuestion, port: MessagePort): Promise<void> {
  const file = shown
  try {
    if (file === null || fileId.split('?')[0] !== file.id) return port.postMessage(null)
    const sizeBytes = file.plaintextSizeBytes ?? 0
    const until = Math.min(end ?? sizeBytes, start + PIECE_BYTES, sizeBytes)
    const bytes = start < until ? await readPrivate(file, start, until) : new Uint8Array()
    port.postMessage({ sizeBytes, mimeType: file.mimeType, bytes } satisfies MediaAnswer, [bytes.buffer])
  } catch {
    port.postMessage(null)
  }
}
