import type { JournalEntry } from '@tideport/sdk'
import type { PickedRoot } from './picked-files.ts'

/** A pending upload, kept across reloads until all files of its batch are done. Contains no secret. */
export interface KeptUpload extends JournalEntry {
  key: string
  vaultId: string
  path: string
  /** Part of the request, which must be the same when it is repeated. */
  onConflict: 'fail' | 'keep' | 'replace'
  /** The account id; null: unknown. */
  owner: string | null
  /** Whether the browser can open the file again after the user agrees. */
  hasHandle: boolean
}

export interface KeptHandle {
  key: string
  handle: FileSystemFileHandle
  root: PickedRoot
}

export async function readUploads(): Promise<Map<string, KeptUpload>> {
  const all = (await ask<KeptUpload[]>('readonly', ({ uploads }) => uploads.getAll())) ?? []
  return new Map(all.map((upload) => [upload.key, upload]))
}

export async function readUnfinished(vaultId: string): Promise<KeptUpload[]> {
  const all = [...(await readUploads()).values()]
  return all.filter((upload) => upload.vaultId === vaultId && upload.fileId === undefined)
}

export const readUpload = (key: string) => ask<KeptUpload>('readonly', ({ uploads }) => uploads.get(key))

export const readHandle = (key: string) => ask<KeptHandle>('readonly', ({ handles }) => handles.get(key))

export const keepUploads = (kept: readonly KeptUpload[]) => keep('uploads', kept)

export const keepHandles = (kept: readonly KeptHandle[]) => keep('handles', kept)

async function keep(store: keyof Stores, kept: readonly (KeptUpload | KeptHandle)[]): Promise<void> {
  await ask('readwrite', ({ [store]: into }) => {
    for (const one of kept) into.put(one)
    return into.count()
  })
}

export async function forgetUploads(keys: readonly string[]): Promise<void> {
  await ask('readwrite', ({ uploads, handles }) => {
    for (const store of [uploads, handles]) for (const key of keys) store.delete(key)
    return uploads.count()
  })
}

/** Null: unknown, so the uploads of all accounts. */
export async function forgetUploadsOf(owner: string | null): Promise<void> {
  const all = [...(await readUploads()).values()]
  const theirs = all.filter((upload) => owner === null || upload.owner === null || upload.owner === owner)
  await forgetUploads(theirs.map(({ key }) => key))
}

/** Handles are stored separately, because they are rarely read. */
const stores = ['uploads', 'handles'] as const

type Stores = Record<(typeof stores)[number], IDBObjectStore>

/** Runs one transaction and returns its last result; undefined without a database. */
async function ask<T>(mode: IDBTransactionMode, request: (stores: Stores) => IDBRequest): Promise<T | undefined> {
  try {
    const database = await settled(openDatabase())
    const transaction = database.transaction(stores, mode)
    const [uploads, handles] = stores.map((name) => transaction.objectStore(name)) as [IDBObjectStore, IDBObjectStore]
    return (await settled(request({ uploads, handles }))) as T
  } catch {
    return undefined
  }
}

let opening: IDBOpenDBRequest | undefined

function openDatabase(): IDBOpenDBRequest {
  if (opening === undefined) {
    opening = indexedDB.open('tideport-uploads', 2)
    opening.addEventListener('upgradeneeded', () => {
      const database = (opening as IDBOpenDBRequest).result
      for (const name of stores) {
        if (!database.objectStoreNames.contains(name)) database.createObjectStore(name, { keyPath: 'key' })
      }
    })
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
