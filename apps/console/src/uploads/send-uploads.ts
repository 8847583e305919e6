import { signal } from '@preact/signals'
import { ApiError, PathTakenError, type UploadItem, uploadMany } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { describeError } from '../api/describe-error.ts'
import { isOutage } from '../api/is-outage.ts'
import { forgetUploads } from './journal.ts'
import { journal } from './remember-uploads.ts'
import { itemOf, letGo, letGoOfAll } from './upload-item.ts'
import { changeUpload, listed, nextChange } from './upload-list.ts'
import { cameBack, isCutOff, waitForService } from './wait-for-service.ts'

const KIB = 1024
/** Small files wait for the service more than for the network, so more of them run concurrently. */
const lanes = [
  { files: 10, takes: (size: number) => size <= 256 * KIB },
  { files: 3, takes: (size: number) => size > 256 * KIB },
] as const
type Lane = (typeof lanes)[number]
/** After this many consecutive failures, the other uploads wait. */
const unansweredMax = 3
const tellMs = 2_000

export const isPaused = signal(false)
let running: AbortController | null = null
let onDone: (vaultId: string) => void = () => {}
let onTaken: (key: string) => void = () => {}

export function tellWhenUploaded(tell: (vaultId: string) => void): void {
  onDone = tell
}

export function tellWhenTaken(tell: (key: string) => void): void {
  onTaken = tell
}

/** Sends waiting uploads, one vault after another. */
export function sendUploads(): void {
  if (running !== null || isPaused.value || isCutOff.value) return
  const vaultId = [...listed.values()].find(({ state }) => state === 'waiting')?.vaultId
  if (vaultId === undefined) return
  const controller = new AbortController()
  running = controller
  void sendAll(vaultId, controller)
    .catch(() => {})
    .finally(() => {
      letGoOfAll()
      running = null
      for (const { key, state } of listed.values()) if (state === 'sending') changeUpload(key, { state: 'waiting' })
      onDone(vaultId)
      void forgetFinished(vaultId)
      if ([...listed.values()].some(({ state }) => state === 'unanswered')) waitForService(sendAgain)
      else sendUploads()
    })
}

function sendAgain(): void {
  for (const { key, state } of listed.values())
    if (state === 'unanswered') changeUpload(key, { state: 'waiting', error: null })
  sendUploads()
}

export function pauseUploads(): void {
  isPaused.value = true
  running?.abort()
}

export function resumeUploads(): void {
  isPaused.value = false
  sendUploads()
}

async function sendAll(vaultId: string, controller: AbortController): Promise<void> {
  await Promise.allSettled(lanes.map((lane) => sendLane(lane, vaultId, controller)))
}

async function sendLane(lane: Lane, vaultId: string, controller: AbortController): Promise<void> {
  const { signal } = controller
  let toldAt = Date.now()
  let unanswered = 0
  const options = { vaultId, files: lane.files, signal, journal }
  for await (const { key, error } of uploadMany(client(), waiting(lane, vaultId, signal), options)) {
    letGo(key)
    if (error === undefined) {
      cameBack()
      changeUpload(key, { state: 'done', sentBytes: listed.get(key)?.file.size ?? 0, bytesPerSecond: null })
    } else {
      const state = isOutage(error) ? 'unanswered' : 'failed'
      changeUpload(key, { state, error: describeFailure(error), bytesPerSecond: null })
      if (error instanceof PathTakenError) onTaken(key)
    }
    unanswered = error !== undefined && isOutage(error) ? unanswered + 1 : 0
    if (unanswered >= unansweredMax) return controller.abort()
    if (Date.now() - toldAt > tellMs) {
      toldAt = Date.now()
      onDone(vaultId)
    }
  }
}

/** Returns when no upload of the vault is active. */
async function* waiting(lane: Lane, vaultId: string, signal: AbortSignal): AsyncGenerator<UploadItem> {
  while (!signal.aborted) {
    for (const upload of listed.values()) {
      const { key, state, file, vaultId: its } = upload
      if (state !== 'waiting' || its !== vaultId || !lane.takes(file.size)) continue
      changeUpload(key, { state: 'sending' })
      try {
        yield await itemOf(upload)
      } catch (error) {
        changeUpload(key, { state: 'failed', error: describeFailure(error) })
      }
    }
    const its = [...listed.values()].filter((upload) => upload.vaultId === vaultId)
    if (its.some(({ state, file }) => state === 'waiting' && lane.takes(file.size))) continue
    if (!its.some(({ state }) => state === 'sending')) return
    await nextChange(signal)
  }
}

/** Finished uploads are kept until all are finished: picking a folder again after a reload then skips them. */
async function forgetFinished(vaultId: string): Promise<void> {
  const its = [...listed.values()].filter((upload) => upload.vaultId === vaultId)
  if (its.every(({ state }) => state === 'done')) await forgetUploads(its.map(({ key }) => key))
}

const describeFailure = (error: unknown): string =>
  error instanceof ApiError || error instanceof TypeError || !(error instanceof Error)
    ? describeError(error)
    : error.message
