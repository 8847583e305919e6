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
  /** To be encrypted on its way; the vault's key has to be open. */
  isPrivate: boolean
  state: 'waiting' | 'sending' | 'done' | 'failed'
  sentBytes: number
  bytesPerSecond: number | null
  error: string | null
}

/** Where files go. */
export interface Target {
  vaultId: string
  /** With a slash at its end; empty: none. */
  folder: string
  isPrivate: boolean
}

const atOnce = 3
const showMs = 150
const tellMs = 2_000

/** Changed in place: there may be thousands, and each tells its progress ten times a second. */
const all = new Map<string, Upload>()
const version = signal(0)
let running: AbortController | null = null
/** What lets go of a file that is encrypted, by the upload's key. */
const ends = new Map<string, () => void>()

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
export function addUploads({ vaultId, folder, isPrivate }: Target, picked: readonly PickedFile[]): void {
  for (const { path: own, file } of picked) {
    const path = `${folder}${own}`
    const key = JSON.stringify([vaultId, path, file.size, file.lastModified])
    if (all.get(key)?.state === 'sending') continue
    const begun = { state: 'waiting', sentBytes: 0, bytesPerSecond: null, error: null } as const
    all.set(key, { key, vaultId, path, file, isPrivate, ...begun })
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
      for (const end of ends.values()) end()
      ends.clear()
      running = null
      for (const { key, state } of all.values()) if (state === 'sending') change(key, { state: 'waiting' })
      onDone(vaultId)
      start()
    })
}

/** Everything that waits for this vault, also what comes meanwhile. */
async function sendAll(vaultId: string, signal: AbortSignal): Promise<void> {
  let toldAt = Date.now()
  const options = { vaultId, files: atOnce, signal, ...journalOf(vaultId) }
  for await (const { key, error } of uploadMany(client(), waiting(vaultId), options)) {
    ends.get(key)?.()
    ends.delete(key)
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

async function* waiting(vaultId: string): AsyncGenerator<UploadItem> {
  // What is put into a map while one goes through it comes as well.
  for (const upload of all.values()) {
    const { key, state, vaultId: its } = upload
    if (state !== 'waiting' || its !== vaultId) continue
    change(key, { state: 'sending' })
    try {
      yield await itemOf(upload)
    } catch (error) {
      change(key, { state: 'failed', error: describeFailure(error) })
    }
  }
}

async function itemOf({ key, vaultId, path, file, isPrivate }: Upload): Promise<UploadItem> {
  const onProgress = (progress: Progress) => tell(key, progress)
  const fields = { path, onConflict: 'keep' } as const
  if (!isPrivate) return { key, source: file, fields, onProgress }
  const { encryptUpload } = await import('../private/encrypt-upload.ts')
  const { source, fields: ofEncryption, end } = await encryptUpload(vaultId, file)
  ends.set(key, end)
  return { key, source, fields: { ...fields, ...ofEncryption }, onProgress }
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

/** None for a private vault: bytes that are encrypted anew are others, so that nothing could be gone on with. */
function journalOf(vaultId: string): { journal?: Journal } {
  if ([...all.values()].some((upload) => upload.vaultId === vaultId && upload.isPrivate)) return {}
  const journal: Journal = {
    read: readUpload,
    async write(key, entry) {
      const path = all.get(key)?.path
      if (path !== undefined && entry.fileId === undefined) await keepUpload({ key, vaultId, path, ...entry })
    },
  }
  return { journal }
}

const describeFailure = (error: unknown): string =>
  error instanceof ApiError || !(error instanceof Error) ? describeError(error) : error.message
