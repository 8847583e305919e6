import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

const BEAT_MS = 500

/** What the thread reads. */
interface Watched {
  /** One number that changes while the event loop runs, and is odd while a debugger is open. */
  beats: Int32Array<SharedArrayBuffer>
  /** A blocked loop ends the process after this time; 0: never. */
  exitMs: number
  /** Fields of a log line. Null: the log omits errors. */
  line: object | null
}

interface WatchOptions {
  exitSeconds: number
  log: Log
  metrics: Metrics
}

/**
 * Starts a thread that logs when a computation blocks this process for 2 s, and kills the process after `exitSeconds`.
 * Time does not count while the process is suspended or a debugger is open.
 */
export function watchEventLoop({ exitSeconds, log, metrics }: WatchOptions): void {
  const blocked = metrics.counter({
    name: 'tideport_event_loop_blocked_seconds_total',
    help: 'Time in which a computation blocked this process for at least 2 s',
  })
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const beat = () => {
    const even = (Atomics.load(beats, 0) | 1) + 1
    Atomics.store(beats, 0, inspectorUrl() === undefined ? even : even + 1)
  }
  beat()
  setInterval(beat, BEAT_MS).unref()
  const line = log.isLevelEnabled('error') ? log.bindings() : null
  const workerData: Watched = { beats, exitMs: exitSeconds * 1000, line }
  // As text, because a thread that loads a file of TypeScript uses 12 MB more.
  const worker = new Worker(`(${watch})()`, { eval: true, workerData, resourceLimits: { maxOldGenerationSizeMb: 16 } })
  worker.on('message', (seconds: number) => {
    blocked.inc(seconds)
    log.warn({ seconds }, 'a computation blocked the event loop')
  })
  worker.on('error', (error) => log.error({ err: error }, 'the event loop is no longer watched'))
  worker.unref()
}

/** The program of the thread. It cannot refer to names of this file. */
function watch(): void {
  const tickMs = 1000
  const toldMs = 2000
  const { writeSync } = process.getBuiltinModule('node:fs')
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { beats, exitMs, line } = workerData as Watched
  const never = new Int32Array(new SharedArrayBuffer(4))
  let seen = 0
  let blockedMs = 0
  let isTold = false

  /** The logger needs the event loop. */
  function write(level: string, msg: string): void {
    if (line === null) return
    const fields = { level, time: new Date().toISOString(), ...line, seconds: Math.round(blockedMs / 1000), msg }
    try {
      writeSync(1, `${JSON.stringify(fields)}\n`)
    } catch {
      // The reader of the output is slow or has exited.
    }
  }

  for (;;) {
    const startedAt = performance.now()
    Atomics.wait(never, 0, 0, tickMs)
    const elapsedMs = performance.now() - startedAt
    const beat = Atomics.load(beats, 0)
    if (beat !== seen || beat % 2 !== 0) {
      if (isTold) parentPort?.postMessage(Math.round(blockedMs / 1000))
      seen = beat
      blockedMs = 0
      isTold = false
      continue
    }
    // After a longer wait, this thread was stopped as well, for example with the machine.
    blockedMs += Math.min(elapsedMs, 2 * tickMs)
    if (blockedMs >= toldMs && !isTold) {
      write('error', 'a computation blocks the event loop')
      isTold = true
    }
    if (exitMs > 0 && blockedMs >= exitMs) {
      write('fatal', 'a computation blocks the event loop for too long, killing the process')
      process.kill(process.pid, 'SIGKILL')
    }
  }
}
