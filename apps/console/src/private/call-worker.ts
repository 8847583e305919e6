import { tellPartMissing } from '../api/newer-build.ts'
import type { Answer, Failure, Input, Method, Output } from './protocol.ts'
import { trustedScriptUrl } from './trusted-script-url.ts'
import workerUrl from './worker.ts?worker&url'

export class PrivateError extends Error {
  override readonly name = 'PrivateError'
  readonly failure: Failure | 'locked' | 'has_key'

  constructor(failure: Failure | 'locked' | 'has_key', message: string) {
    super(message)
    this.failure = failure
  }
}

interface Waiting {
  resolve(output: unknown): void
  reject(error: unknown): void
}

let running: { worker: Worker; waiting: Map<number, Waiting> } | null = null
let lastNumber = 0

/** Starts the worker with the first call. Rejects with a `PrivateError`. */
export function callWorker<M extends Method>(
  method: M,
  input: Input<M>,
  transfer: Transferable[] = [],
): Promise<Output<M>> {
  running ??= start()
  const { worker, waiting } = running
  const number = ++lastNumber
  return new Promise((resolve, reject) => {
    waiting.set(number, { resolve: resolve as Waiting['resolve'], reject })
    worker.postMessage({ number, method, input }, transfer)
  })
}

export function endWorker(): void {
  running?.worker.terminate()
  for (const { reject } of running?.waiting.values() ?? []) reject(new PrivateError('locked', 'The vault was locked'))
  running = null
}

function start() {
  const worker = new Worker(trustedScriptUrl(workerUrl))
  const waiting = new Map<number, Waiting>()
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const asked = waiting.get(data.number)
    waiting.delete(data.number)
    if ('output' in data) asked?.resolve(data.output)
    else asked?.reject(new PrivateError(data.failure, data.message))
  })
  // The worker did not start, or crashed. The next call starts another.
  worker.addEventListener('error', () => {
    void tellPartMissing()
    worker.terminate()
    if (running?.worker === worker) running = null
    for (const { reject } of waiting.values()) reject(new PrivateError('other', 'The worker failed'))
    waiting.clear()
  })
  return { worker, waiting }
}
