import { computed, signal } from '@preact/signals'
import { ApiError, type Journal, type JournalEntry, type Progress, type UploadItem, uploadMany } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { describeError } from '../api/describe-error.ts'
import { forgetUploads, type KeptUpload, keepHandles, keepUploads, readUpload, readUploads } from './journal.ts'
import { ownerNow } from './owner.ts'
import type { PickedFile, PickedRoot } from './picked-files.ts'

/** A file on its way. */
export interface Upload {
  key: string
  vaultId: string
  path: string
  file: File
  handle: FileSystemFileHandle | undefined
  root: PickedRoot | undefined
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
  const added: Upload[] = []
  for (const { path: own, file, handle, root } of picked) {
    const path = `${folder}${own}`
    const key = JSON.stringify([vaultId, path, file.size, file.lastModified])
    if (all.get(key)?.state === 'sending') continue
    const begun = { state: 'waiting', sentBytes: 0, bytesPerSecond: null, error: null } as const
    const upload = { key, vaultId, path, file, handle, root, isPrivate, ...begun }
    all.set(key, upload)
    added.push(upload)
  }
  show()
  void remember(added).then(start)
}

/** So that a reload finds what has not even begun. What a run before noted of one is kept. */
async function remember(added: readonly Upload[]): Promise<void> {
  const known = await readUploads()
  await keepUploads(added.map((upload) => ({ ...known.get(upload.key), ...keptOf(upload) })))
  await keepHandles(
    added.flatMap(({ key, handle, root }) =>
      handle === undefined || root === undefined ? [] : [{ key, handle, root }],
    ),
  )
}

function keptOf({ key, vaultId, path, handle }: Upload): KeptUpload {
  return { key, vaultId, path, owner: ownerNow(), hasHandle: handle !== undefined }
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
  await forgetUploads(keys)
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
      void forgetFinished(vaultId)
      start()
    })
}

/** What is finished is known until all of it is: whoever picks a folder again after a reload has no file of it sent twice. */
async function forgetFinished(vaultId: string): Promise<void> {
  const its = [...all.values()].filter((upload) => upload.vaultId === vaultId)
  if (its.every(({ state }) => state === 'done')) await forgetUploads(its.map(({ key }) => key))
}

/** Everything that waits for this vault, also what comes meanwhile. */
async function sendAll(vaultId: string, signal: AbortSignal): Promise<void> {
  let toldAt = Date.now()
  const options = { vaultId, files: atOnce, signal, journal }
  for await (const { key, error } of uploadMany(client(), waiting(vaultId), options)) {
    ends.get(key)?.()
    ends.delete(key)
    if (error === undefined) {
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
  const token = (await readUpload(key))?.token
  const {
    source,
    fields: ofEncryption,
    end,
  } = await encryptUpload(vaultId, file, token).catch(async (error) => {
    if (token === undefined) throw error
    // It is of another key, or none: begun anew.
    await forgetUploads([key])
    return await encryptUpload(vaultId, file)
  })
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

/** Of files that are encrypted anew each time too: a token has what they were begun under. */
const journal: Journal = {
  read: readUpload,
  async write(key: string, entry: JournalEntry) {
    const upload = all.get(key)
    if (upload !== undefined) await keepUploads([{ ...keptOf(upload), ...entry }])
  },
}

const describeFailure = (error: unknown): string =>
  error instanceof ApiError || !(error instanceof Error) ? describeError(error) : error.message
