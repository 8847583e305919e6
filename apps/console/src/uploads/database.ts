/** By the upload's key. Handles are apart: they are read when a person wants to go on, and not with every look. */
const stores = ['uploads', 'handles'] as const

type Stores = Record<(typeof stores)[number], IDBObjectStore>

/** One transaction in the browser's own database; the answer to the last request. Without one nothing is kept: undefined. */
export async function ask<T>(
  mode: IDBTransactionMode,
  request: (stores: Stores) => IDBRequest,
): Promise<T | undefined> {
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
