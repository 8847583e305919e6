import type { Argon2Parameters } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { unavailable } from '@tideport/service-kit/process/app-error'

/** An idle thread exits after this time. The next hash starts a new thread. */
const IDLE_MS = 30_000

interface HashThread {
  /**
   * Computes the Argon2id tag for these parameters, one call at a time. Throws 503 when the thread exits before it
   * responds.
   */
  derive(parameters: Argon2Parameters): Promise<Buffer>
}

/**
 * A separate thread, because Node's `argon2` uses libuv's pool, where file access, DNS, zlib, and WebCrypto would wait.
 */
export function createHashThread(): HashThread {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined

  function forget(which: Worker): void {
    if (worker === which) worker = null
  }

  function start(): Worker {
    const started = new Worker(new URL('./hash-worker.ts', import.meta.url))
    // The caller gets the error. Without a listener, the error would crash the process.
    started.on('error', () => forget(started))
    started.on('exit', () => forget(started))
    return started
  }

  /** Forgets the thread before terminating it, so no call is sent to a terminating thread. */
  function end(which: Worker): void {
    forget(which)
    void which.terminate()
  }

  function tagFrom(current: Worker, parameters: Argon2Parameters): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const ended = (cause: unknown) => reject(unavailable('The password could not be checked', cause))
      const exited = (code: number) => ended(new Error(`The thread exited with code ${code}`))
      current.once('message', (tag: Uint8Array) => {
        current.off('error', ended).off('exit', exited)
        resolve(Buffer.from(tag))
      })
      current.once('error', ended).once('exit', exited)
      current.postMessage(parameters)
    })
  }

  return {
    async derive(parameters) {
      clearTimeout(idle)
      worker ??= start()
      const current = worker
      current.ref()
      try {
        return await tagFrom(current, parameters)
      } finally {
        current.unref()
        idle = setTimeout(() => end(current), IDLE_MS).unref()
      }
    },
  }
}
