import { listFiles, readFile } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { toastError, toastFailure } from '../api/toasts.ts'
import { isPrivateVault } from '../kept/private-vaults.ts'
import { unlocked } from '../private/vault-lock.ts'
import { session } from '../session/session.ts'
import { text } from '../text/text.ts'
import { askAboutTaken, inTurn, question } from './ask-about-taken.ts'
import { findTaken, normal } from './find-taken.ts'
import { forgetUploads, readUploads } from './journal.ts'
import type { PickedFile } from './picked-files.ts'
import { rememberUploads } from './remember-uploads.ts'
import { pauseUploads, resumeUploads, sendUploads, tellWhenTaken } from './send-uploads.ts'
import { changeUpload, emptyList, listed, listUploads, type Upload, unlistUploads } from './upload-list.ts'
import { tryNow } from './wait-for-service.ts'

export interface Target {
  vaultId: string
  /** With a trailing slash; empty: none. */
  folder: string
}

/** Resumes interrupted uploads of the same bytes to the same path. For other taken paths, the user chooses. */
export const addUploads = (target: Target, picked: readonly PickedFile[]): Promise<void> =>
  inTurn(() => add(target, picked))

async function add({ vaultId, folder }: Target, picked: readonly PickedFile[]): Promise<void> {
  const whose = session.peek()
  const known = await readUploads()
  const waiting = { state: 'waiting', sentBytes: 0, bytesPerSecond: null, error: null } as const
  const added = picked.map(({ path: own, file, handle, root }): Upload => {
    const path = normal(`${folder}${own}`)
    const key = JSON.stringify([vaultId, path, file.size, file.lastModified])
    return { key, vaultId, path, file, handle, root, onConflict: known.get(key)?.onConflict ?? 'fail', ...waiting }
  })
  const isNew = ({ key }: Upload) => !known.has(key) && listed.get(key)?.state !== 'sending'
  const fresh = added.filter(isNew).map(({ path }) => path)
  const [taken] = await Promise.all([findTaken(vaultId, folder, fresh).catch(() => none), lookForKey(vaultId)])
  if (session.peek() !== whose) return
  if (isPrivateVault(vaultId) && !unlocked.peek().has(vaultId)) return toastFailure(text.peek().files.privateText)
  const choices = await askAboutTaken([...new Set(fresh.filter((path) => taken.has(path)))])
  if (choices === null || session.peek() !== whose) return
  const chosen = added.flatMap((upload): Upload[] => {
    const choice = isNew(upload) ? choices.get(upload.path) : undefined
    if (choice === 'skip' || listed.get(upload.key)?.state === 'sending') return []
    return [choice === undefined ? upload : { ...upload, onConflict: choice }]
  })
  await send(chosen)
}

async function send(chosen: readonly Upload[]): Promise<void> {
  listUploads(chosen)
  await rememberUploads(chosen)
  sendUploads()
}

const refused = new Set<string>()

/** Another client has taken the path in the meantime, or the listing failed. */
tellWhenTaken((key) => {
  refused.add(key)
  void inTurn(askAgain).catch(toastError)
})

async function askAgain(): Promise<void> {
  const failed = [...refused].flatMap((key) => listed.get(key) ?? []).filter(({ state }) => state === 'failed')
  refused.clear()
  const choices = await askAboutTaken(failed.map(({ path }) => path))
  // Dismissed uploads are no longer listed.
  const answered = failed.filter(({ key, path }) => choices?.has(path) === true && listed.has(key))
  const keys = answered.map(({ key }) => key)
  await forgetUploads(keys)
  unlistUploads(keys)
  await send(
    answered.flatMap((upload): Upload[] => {
      const onConflict = choices?.get(upload.path)
      if (onConflict === undefined || onConflict === 'skip') return []
      return [{ ...upload, onConflict, state: 'waiting', sentBytes: 0, error: null }]
    }),
  )
}

const none: ReadonlySet<string> = new Set()

const lookedThroughMax = 1_000
const lookedThrough = new Set<string>()

/**
 * Files outside the listed folders may be encrypted. Each response is inspected; a single read may show what a list
 * hides.
 */
async function lookForKey(vaultId: string): Promise<void> {
  if (isPrivateVault(vaultId) || lookedThrough.has(vaultId)) return
  try {
    let count = 0
    for await (const { id } of listFiles(client(), { vaultId, limit: 100 })) {
      if (count++ === 0) await readFile(client(), { fileId: id })
      if (isPrivateVault(vaultId) || count === lookedThroughMax) break
    }
    lookedThrough.add(vaultId)
  } catch {
    // An upload-only key cannot list.
  }
}

export function retryUploads(): void {
  for (const { key, state } of listed.values())
    if (state === 'failed') changeUpload(key, { state: 'waiting', error: null })
  tryNow()
  sendUploads()
}

export async function clearUploads(): Promise<void> {
  const keys = [...listed.keys()]
  endUploads()
  await forgetUploads(keys)
}

/** The uploads can be resumed later. */
export function endUploads(): void {
  question.peek()?.answer(null, true)
  pauseUploads()
  emptyList()
  tryNow()
  resumeUploads()
}
