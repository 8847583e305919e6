import type { JournalEntry } from '@tideport/sdk'

/** An upload that was begun, kept over a reload. Nothing in it gives access to anything. */
export interface KeptUpload extends JournalEntry {
  key: string
  vaultId: string
  path: string
}

const store = 'uploads'

/** Uploads that were begun and not finished, in the browser's own database; without one nothing is kept. */
export async function readUploads(): Promise<KeptUpload[]> {
  return (await ask<KeptUpload[]>('readonly', (uploads) => uploads.getAll())) ?? []
}

export async function readUpload(key: string): Promise<KeptUpload | undefined> {
  return await ask<KeptUpload>('readonly', (uploads) => uploads.get(key))
}

export async function keepUpload(upload: KeptUpload): Promise<void> {
  await ask('readwrite', (uploads) => uploads.put(upload))
}

export async function forgetUpload(key: string): Promise<void> {
  await ask('readwrite', (uploads) => uploads.delete(key))
}

export async function forgetUploads(): Promise<void> {
  await ask('readwrite', (uploads) => uploads.clear())
}

async function ask<T>(
  mode: IDBTransactionMode,
  request: (uploads: IDBObjectStore) => IDBRequest,
): Promise<T | undefined> {
  try {
    const database = await settled(openDatabase())
    return (await settled(request(database.transaction(store, mode).objectStore(store)))) as T
  } catch {
    return undefined
  }
}

let opening: IDBOpenDBRequest | undefined

function openDatabase(): IDBOpenDBRequest {
  if (opening === undefined) {
    opening = indexedDB.open('tideport-uploads', 1)
    opening.addEventListener('upgradeneeded', () => opening?.result.createObjectStore(store, { keyPath: 'key' }))
  }
  return opening
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  if (request.readyState === 'done') {
    return request.error ? Promise.reject(request.error) : Promise.resolve(request.result)
  }
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result), { once: true })
    request.addEventListener('error', () => reject(request.error), { once: true })
  })
}
