// Computes blob IDs one after the other, outside the calling thread: each takes at least one second of processor time.
import { parentPort } from 'node:worker_threads'
import { BlobEncoder } from '@mysten/walrus-wasm'

parentPort?.on('message', ({ bytes, shards }: { bytes: Uint8Array; shards: number }) => {
  const [id] = new BlobEncoder(shards).compute_metadata(bytes)
  parentPort?.postMessage(Buffer.from(id).toString('base64url'))
})
