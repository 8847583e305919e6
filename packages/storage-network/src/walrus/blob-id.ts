import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

const BLOB_ID = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
/** The encoder never releases its memory, about twice the size of its input. */
const KEPT_BYTES = 4 * 1024 * 1024
const IDLE_MS = 5_000

/** 32 bytes in base64url, as the network writes them. */
export const isWalrusBlobId = (text: string): boolean => BLOB_ID.test(text)

export function canComputeBlobIds(): boolean {
  try {
    createRequire(import.meta.url).resolve('@mysten/walrus-wasm')
    return true
  } catch {
    return false
  }
}

let worker: Worker | null = null
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Takes a second of processor time for 1000 shards, 5 seconds for 100 MiB. Runs one at a time in a worker thread, so
 * `bytes` must not change meanwhile.
 */
export function computeBlobId(bytes: Uint8Array, shards: number): Promise<string> {
  const computed = last.then(() => compute(bytes, shards))
  last = computed.catch(() => undefined)
  return computed
}

async function compute(bytes: Uint8Array, shards: number): Promise<string> {
  clearTimeout(idle)
  worker ??= startWorker()
  const current = worker
  try {
    current.ref()
    const answer = once(current, 'message')
    current.postMessage({ bytes, shards })
    const [blobId] = await answer
    current.unref()
    if (bytes.length > KEPT_BYTES) await end(current)
    else idle = setTimeout(() => void end(current), IDLE_MS).unref()
    return blobId
  } catch (error) {
    await end(current) // after a trap, the instance is unusable
    throw error
  }
}

function startWorker(): Worker {
  const started = new Worker(new URL('./blob-id-worker.ts', import.meta.url))
  // The waiting caller gets the error. It must not crash the process.
  started.on('error', () => undefined)
  return started
}

async function end(which: Worker): Promise<void> {
  if (worker === which) worker = null
  await which.terminate()
}
