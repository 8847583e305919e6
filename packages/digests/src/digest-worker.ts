import { parentPort } from 'node:worker_threads'
import type { DigestRequest } from './digest-threads.ts'
import { createHasher, type Hasher } from './hashers.ts'

interface Body {
  shared: SharedArrayBuffer
  hashers: (readonly [string, Hasher])[]
}

const bodies = new Map<number, Body>()
let last: Promise<unknown> = Promise.resolve()

// One after the other, because creating hashers is asynchronous.
parentPort?.on('message', (request: DigestRequest) => {
  last = last.then(() => handle(request))
})

async function handle(request: DigestRequest): Promise<void> {
  if (request.kind === 'begin') {
    const hashers = await Promise.all(request.names.map(async (name) => [name, await createHasher(name)] as const))
    bodies.set(request.id, { shared: request.shared, hashers })
    return
  }
  const body = bodies.get(request.id)
  if (request.kind === 'update') {
    const bytes = new Uint8Array(body?.shared ?? new ArrayBuffer(0), request.start, request.length)
    for (const [, hasher] of body?.hashers ?? []) hasher.update(bytes)
    parentPort?.postMessage({ id: request.id, digests: null })
    return
  }
  bodies.delete(request.id)
  if (request.kind === 'abandon') return
  const digests = body?.hashers.map(([name, hasher]) => [name, hasher.digest().toString('base64')]) ?? []
  parentPort?.postMessage({ id: request.id, digests: Object.fromEntries(digests) })
}
