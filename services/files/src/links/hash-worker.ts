import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', (parameters: Argon2Parameters) => {
  parentPort?.postMessage(argon2Sync('argon2id', parameters))
})
