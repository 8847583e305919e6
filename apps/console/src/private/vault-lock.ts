import { effect, signal } from '@preact/signals'
import { type FileRecord, listFiles } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { session } from '../session/session.ts'
import { callWorker, endWorker, PrivateError } from './call-worker.ts'
import { keepKeyFile, readKeyFile } from './key-files.ts'
import type { Opener } from './protocol.ts'

/** Nobody did anything for so long: who sits there now may be somebody else. */
const IDLE_MS = 15 * 60_000

/** The vaults whose keys are open in this tab. */
export const unlocked = signal<ReadonlySet<string>>(new Set())

/**
 * Makes the key of a vault that has none, keeps its age file here, and leaves it open; the age file. Rejects with a
 * `PrivateError` where it has one.
 */
export async function createKey(vaultId: string, passphrase: string): Promise<string> {
  // Another tab may have made it: what that encrypted needs it.
  if (readKeyFile(vaultId) !== null || (await findEncrypted(vaultId)) !== null) {
    throw new PrivateError('has_key', 'The vault has a key')
  }
  const ageFile = await callWorker('create', { vaultId, passphrase })
  keepKeyFile(vaultId, ageFile)
  noteOpen(vaultId)
  return ageFile
}

/** Opens a vault's key. What opens and fits the vault's files is kept here from now on. Rejects with a `PrivateError`. */
export async function unlock(vaultId: string, ageFile: string, by: Opener): Promise<void> {
  await callWorker('open', { vaultId, ageFile, by, proof: await findEncrypted(vaultId) })
  if ('passphrase' in by) keepKeyFile(vaultId, ageFile)
  noteOpen(vaultId)
}

/** Forgets all keys. */
export function lock(): void {
  endWorker()
  unlocked.value = new Set()
}

/** How many files are looked through for one that is encrypted: those that the service wrote are not. */
const LOOKED_AT_MAX = 2_000

/** One of a vault's files that its key has to open; null: there is none. */
export async function findEncrypted(vaultId: string): Promise<FileRecord | null> {
  let lookedAt = 0
  for await (const file of listFiles(client(), { vaultId, limit: 100 })) {
    if (file.wrappedKey?.startsWith('tideport.')) return file
    if (++lookedAt >= LOOKED_AT_MAX) break
  }
  return null
}

function noteOpen(vaultId: string): void {
  usedAt = Date.now()
  unlocked.value = new Set([...unlocked.value, vaultId])
}

let idle: ReturnType<typeof setTimeout> | undefined
let usedAt = Date.now()

/** Also called while bytes go on by themselves. */
export function noteUse(): void {
  clearTimeout(idle)
  // Timers stand still while the computer sleeps.
  if (unlocked.peek().size > 0 && Date.now() - usedAt > IDLE_MS) lock()
  usedAt = Date.now()
  if (unlocked.peek().size > 0) idle = setTimeout(lock, IDLE_MS)
}

for (const happened of ['keydown', 'pointerdown'] as const) addEventListener(happened, noteUse, { passive: true })
effect(() => {
  if (unlocked.value.size > 0) noteUse()
})
effect(() => {
  if (session.value === null) lock()
})
