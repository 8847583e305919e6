import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { DigestName, Digests } from './digest-names.ts'
import type { Digester } from './digester.ts'

const BLOCK_BYTES = 256 * 1024
const BLOCKS = 4
const IDLE_MS = 30_000
/** One processor stays with the event loop. */
const MAX_THREADS = Math.min(Math.max(availableParallelism() - 1, 1), 4)

export type DigestRequest =
  | { kind: 'begin'; id: number; names: DigestName[]; shared: SharedArrayBuffer }
  | { kind: 'update'; id: number; start: number; length: number }
  | { kind: 'digest' | 'abandon'; id: number }

interface Client {
  /** A block was hashed (null), or all of them. */
  done(digests: Digests | null): void
  failed(cause: unknown): void
}

interface Thread {
  worker: Worker
  clients: Map<number, Client>
  idle?: NodeJS.Timeout
}

const threads = new Set<Thread>()
let lastId = 0

/** Hashes in a thread, at most four blocks behind, so memory is constant. */
export function threadDigester(names: DigestName[]): Digester {
  const thread = freestThread()
  const id = ++lastId
  const shared = new SharedArrayBuffer(BLOCK_BYTES * BLOCKS)
  const memory = new Uint8Array(shared)
  const wait = waiting()
  let [block, filled, behind] = [0, 0, 0]
  let result: Digests | null = null

  const send = (request: DigestRequest) => thread.worker.postMessage(request)
  const sendBlock = () => {
    send({ kind: 'update', id, start: block * BLOCK_BYTES, length: filled })
    block = (block + 1) % BLOCKS
    filled = 0
    behind += 1
  }
  const end = () => leave(thread, id)

  enter(thread, id, {
    done(digests) {
      if (digests) result = digests
      else behind -= 1
      wait.wake()
    },
    failed: wait.fail,
  })
  send({ kind: 'begin', id, names, shared })

  async function copy(chunk: Uint8Array, from: number): Promise<void> {
    for (let read = from; read < chunk.length; ) {
      await wait.until(() => behind < BLOCKS)
      const part = chunk.subarray(read, read + BLOCK_BYTES - filled)
      memory.set(part, block * BLOCK_BYTES + filled)
      filled += part.length
      read += part.length
      if (filled === BLOCK_BYTES) sendBlock()
    }
  }

  return {
    update(chunk) {
      // Most chunks fit into the current block, and need no promise.
      if (behind === BLOCKS || filled + chunk.length >= BLOCK_BYTES) return copy(chunk, 0)
      memory.set(chunk, block * BLOCK_BYTES + filled)
      filled += chunk.length
      return undefined
    },
    async digest() {
      await wait.until(() => behind < BLOCKS)
      if (filled > 0) sendBlock()
      send({ kind: 'digest', id })
      await wait.until(() => result !== null).finally(end)
      return result ?? {}
    },
    abandon() {
      send({ kind: 'abandon', id })
      end()
    },
  }
}

/** Lets one caller wait for a condition that changes only before `wake`. */
function waiting() {
  let error: Error | null = null
  let wake = () => {}
  return {
    wake: () => wake(),
    fail(cause: unknown) {
      error = new Error('The digest thread exited', { cause })
      wake()
    },
    async until(condition: () => boolean): Promise<void> {
      while (!error && !condition()) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (error) throw error
    },
  }
}

function freestThread(): Thread {
  const free = [...threads].toSorted((one, other) => one.clients.size - other.clients.size)[0]
  if (free && (free.clients.size === 0 || threads.size >= MAX_THREADS)) return free
  const started: Thread = {
    worker: new Worker(new URL('./digest-worker.ts', import.meta.url)),
    clients: new Map(),
  }
  const ended = (cause: unknown) => {
    threads.delete(started)
    for (const client of started.clients.values()) client.failed(cause)
  }
  started.worker.on('message', ({ id, digests }: { id: number; digests: Digests | null }) =>
    started.clients.get(id)?.done(digests),
  )
  started.worker.on('error', ended)
  started.worker.on('exit', ended)
  threads.add(started)
  return started
}

function enter(thread: Thread, id: number, client: Client): void {
  clearTimeout(thread.idle)
  thread.clients.set(id, client)
  thread.worker.ref()
}

/** An idle thread does not keep the process running, and exits after a while. */
function leave(thread: Thread, id: number): void {
  thread.clients.delete(id)
  if (thread.clients.size > 0) return
  thread.worker.unref()
  thread.idle = setTimeout(() => {
    threads.delete(thread)
    void thread.worker.terminate()
  }, IDLE_MS).unref()
}
