import { computed, signal } from '@preact/signals'
import type { PickedRoot } from './picked-files.ts'

/** A file on its way. */
export interface Upload {
  key: string
  vaultId: string
  path: string
  file: File
  handle: FileSystemFileHandle | undefined
  root: PickedRoot | undefined
  /** Where its path is taken. */
  onConflict: 'fail' | 'keep' | 'replace'
  /** `unanswered`: nobody was there to take it, so it is sent again. */
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'unanswered'
  sentBytes: number
  bytesPerSecond: number | null
  error: string | null
}

const showMs = 150

/** The map is changed in place, as there may be thousands. An upload is replaced: a line is redrawn only for a new object. */
const all = new Map<string, Upload>()
const version = signal(0)

/** As they are shown, some times a second. */
export const uploads = computed(() => {
  version.value
  return [...all.values()]
})
export const isUploading = computed(() => uploads.value.some(({ state }) => state !== 'done' && state !== 'failed'))

/** As they are now; who goes through it meets what comes meanwhile, too. */
export const listed: ReadonlyMap<string, Upload> = all

/** In the place of one with the same key. */
export function listUploads(added: readonly Upload[]): void {
  for (const upload of added) all.set(upload.key, upload)
  show()
}

export function changeUpload(key: string, what: Partial<Upload>): void {
  const now = all.get(key)
  if (now === undefined) return
  all.set(key, { ...now, ...what })
  show()
}

export function unlistUploads(keys: readonly string[]): void {
  for (const key of keys) all.delete(key)
  show()
}

/** Without the pause of `show`: a tray that lists dismissed uploads would be read as the state of the next ones. */
export function emptyList(): void {
  all.clear()
  version.value += 1
}

/** Resolves when an upload has changed, or at an abort. */
export async function nextChange(abort: AbortSignal): Promise<void> {
  const before = version.peek()
  let stop = () => {}
  await new Promise<void>((resolve) => {
    stop = version.subscribe((now) => now !== before && resolve())
    abort.addEventListener('abort', () => resolve(), { once: true })
  })
  stop()
}

let isShowing = false

function show(): void {
  if (isShowing) return
  isShowing = true
  setTimeout(() => {
    isShowing = false
    version.value += 1
  }, showMs)
}
