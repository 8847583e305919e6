import { effect, signal } from '@preact/signals'
import { ApiError, listFiles, readVault, StateConflictError, updateVault } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { keepKeyFile } from '../kept/key-files.ts'
import { session } from '../session/session.ts'
import { callWorker, endWorker, PrivateError } from './call-worker.ts'
import type { Opener, Proof } from './protocol.ts'

/** After this time, another person may be using the computer. */
const IDLE_MS = 15 * 60_000

export const unlocked = signal<ReadonlySet<string>>(new Set())

/** Opens a vault's key and keeps the key file. Rejects with a `PrivateError`. */
export async function unlock(vaultId: string, ageFile: string, by: Opener): Promise<void> {
  const { keyId: known } = await readVault(client(), { vaultId })
  const transfer = 'passkey' in by ? [by.passkey] : []
  const proof = await findProof(vaultId, known)
  const { keyId } = await callWorker('open', { vaultId, ageFile, by, proof }, transfer)
  if (known === null) await claim(vaultId, keyId)
  if ('passphrase' in by) keepKeyFile(vaultId, ageFile)
  noteOpen(vaultId)
}

/** Sets the vault's key id, so that no other client creates a key. Read-only users cannot, which is fine. */
async function claim(vaultId: string, keyId: string): Promise<void> {
  try {
    await updateVault(client(), { vaultId, keyId })
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return
    await callWorker('close', { vaultId })
    throw error instanceof StateConflictError ? new PrivateError('decryption', 'The vault has another key') : error
  }
}

export function lock(): void {
  endWorker()
  unlocked.value = new Set()
}

export function noteOpen(vaultId: string): void {
  usedAt = Date.now()
  unlocked.value = new Set([...unlocked.value, vaultId])
}

let idle: ReturnType<typeof setTimeout> | undefined
let usedAt = Date.now()

/** Also called by transfers. */
export function noteUse(): void {
  clearTimeout(idle)
  // Timers pause while the computer sleeps.
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

/**
 * Proves which key belongs to the vault: its key id, or else an encrypted file. Null without a key. Clients that set no
 * key id make this read all files, because files that the service wrote are not encrypted.
 */
export async function findProof(vaultId: string, keyId: string | null): Promise<Proof> {
  if (keyId !== null) return { keyId }
  for await (const file of listFiles(client(), { vaultId, limit: 100, order: 'asc' })) {
    if (file.wrappedKey?.startsWith('tideport.')) return { file }
  }
  return null
}
