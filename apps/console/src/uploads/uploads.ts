import { computed, signal } from '@preact/signals'
import { ApiError, type Journal, type Progress, type UploadItem, uploadMany } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { describeError } from '../api/describe-error.ts'
import { forgetUpload, keepUpload, readUpload } from './journal.ts'
import type { PickedFile } from './picked-files.ts'

/** A file on its way. */
export interface Upload {
  key: string
  vaultId: string
  path: string
  file: File
  state: 'waiting' | 'sending' | 'done' | 'failed'
  sentBytes: number
  bytesPerSecond: number | null
  error: string | null
}

const atOnce = 3
const showMs = 150
const tellMs = 2_000

/** Changed in place: there may be thousands, and each tells its progress ten times a second. */
const all = new Map<string, Upload>()
const version = signal(0)
let running: AbortController | null = null

export const isPaused = signal(false)
export const uploads = computed(() => {
  version.value
  return [...all.values()]
})
export const isUploading = computed(() => uploads.value.some(({ state }) => state === 'waiting' || state === 'sending'))

let onDone: (vaultId: string) => void = () => {}

/** Told of each vault that has new files, now and then. */
export function tellWhenUploaded(tell: (vaultId: string) => void): void {
  onDone = tell
}

/**
 * Uploads files into a folder of a vault, with the paths that they have. One that was begun before, with the same bytes
 * at the same place, goes on where it was.
 */
export function addUploads(vaultId: string, folder: string, picked: readonly PickedFile[]): void {
  for (const { path: own, file } of picked) {
    const path = `${folder}${own}`
    const key = JSON.stringify([vaultId, path, file.size, file.lastModified])
    if (all.get(key)?.state === 'sending') continue
    all.set(key, { key, vaultId, path, file, state: 'waiting', sentBytes: 0, bytesPerSecond: null, error: null })
  }
  show()
  start()
}

export function pauseUploads(): void {
  isPaused.value = true
  running?.abort()
}

export function resumeUploads(): void {
  isPaused.value = false
  start()
}

/** Those that failed are tried again. */
export function retryUploads(): void {
  for (const upload of all.values())
    if (upload.state === 'failed') change(upload.key, { state: 'waiting', error: null })
  start()
}

/** Ends all that is under way and forgets what is over. */
export async function clearUploads(): Promise<void> {
  const keys = [...all.keys()]
  endUploads()
  for (const key of keys) await forgetUpload(key)
}

/** Ends all that is under way; what was begun can be gone on with. */
export function endUploads(): void {
  running?.abort()
  isPaused.value = false
  all.clear()
  show()
}

function start(): void {
  if (running !== null || isPaused.value) return
  const vaultId = [...all.values()].find(({ state }) => state === 'waiting')?.vaultId
  if (vaultId === undefined) return
  const controller = new AbortController()
  running = controller
  void sendAll(vaultId, controller.signal)
    .catch(() => {})
    .finally(() => {
      running = null
      for (const { key, state } of all.values()) if (state === 'sending') change(key, { state: 'waiting' })
      onDone(vaultId)
      start()
    })
}

/** Everything that waits for this vault, also what comes meanwhile. */
async function sendAll(vaultId: string, signal: AbortSignal): Promise<void> {
  let toldAt = Date.now()
  const options = { vaultId, files: atOnce, journal: journalOf(vaultId), signal }
  for await (const { key, error } of uploadMany(client(), waiting(vaultId), options)) {
    if (error === undefined) {
      await forgetUpload(key)
      change(key, { state: 'done', sentBytes: all.get(key)?.file.size ?? 0, bytesPerSecond: null })
    } else change(key, { state: 'failed', error: describeFailure(error), bytesPerSecond: null })
    if (Date.now() - toldAt > tellMs) {
      toldAt = Date.now()
      onDone(vaultId)
    }
  }
}

function* waiting(vaultId: string): Generator<UploadItem> {
  // What is put into a map while one goes through it comes as well.
  for (const { key, path, file, state, vaultId: its } of all.values()) {
    if (state !== 'waiting' || its !== vaultId) continue
    change(key, { state: 'sending' })
    yield { key, source: file, fields: { path, onConflict: 'keep' }, onProgress: (progress) => tell(key, progress) }
  }
}

function tell(key: string, { sentBytes, bytesPerSecond }: Progress): void {
  change(key, { sentBytes, bytesPerSecond })
}

function change(key: string, what: Partial<Upload>): void {
  const now = all.get(key)
  if (now === undefined) return
  Object.assign(now, what)
  show()
}

let isShowing = false

/** Some times a second. */
function show(): void {
  if (isShowing) return
  isShowing = true
  setTimeout(() => {
    isShowing = false
    version.value += 1
  }, showMs)
}

function journalOf(vaultId: string): Journal {
  return {
    read: readUpload,
    async write(key, entry) {
      const path = all.get(key)?.path
      if (path !== undefined && entry.fileId === undefined) await keepUpload({ key, vaultId, path, ...entry })
    },
  }
}

const describeFailure = (error: unknown): string =>
  error instanceof ApiError || !(error instanceof Error) ? describeError(error) : error.message
