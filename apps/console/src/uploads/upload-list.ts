import { computed, signal } from '@preact/signals'
import type { PickedRoot } from './picked-files.ts'

export interface Upload {
  key: string
  vaultId: string
  path: string
  file: File
  handle: FileSystemFileHandle | undefined
  root: PickedRoot | undefined
  onConflict: 'fail' | 'keep' | 'replace'
  /** `unanswered`: the service was unreachable, so the upload is sent again. */
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'unanswered'
  sentBytes: number
  bytesPerSecond: number | null
  error: string | null
}

const showMs = 150

/**
 * The map is mutated, because it can have thousands of entries. Uploads are replaced, so only changed rows render
 * again.
 */
const all = new Map<string, Upload>()
const version = signal(0)

/** Updated a few times per second. */
export const uploads = computed(() => {
  version.value
  return [...all.values()]
})
export const isUploading = computed(() => uploads.value.some(({ state }) => state !== 'done' && state !== 'failed'))

/** The current uploads. An iteration includes uploads that are added during it. */
export const listed: ReadonlyMap<string, Upload> = all

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

/** Updates immediately, because a tray with dismissed uploads would look like the state of the next uploads. */
export function emptyList(): void {
  all.clear()
  version.value += 1
}

/** Resolves after a change or an abort. */
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
