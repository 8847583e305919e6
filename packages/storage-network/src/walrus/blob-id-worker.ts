// Computes ids of blobs one after the other, beside the thread that asks: it takes a second of the processor at least.
import { parentPort } from 'node:worker_threads'
import { BlobEncoder } from '@mysten/walrus-wasm'

parentPort?.on('message', ({ bytes, shards }: { bytes: Uint8Array; shards: number }) => {
  const [id] = new BlobEncoder(shards).compute_metadata(bytes)
  parentPort?.postMessage(Buffer.from(id).toString('base64url'))
})
