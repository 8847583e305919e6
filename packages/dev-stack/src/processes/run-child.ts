import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { dieWithParent } from './die-with-parent.ts'
import { forgetProcess, recordProcess } from './process-record.ts'

export type ChildExit = { code: number | null; signal: NodeJS.Signals | null }

export type RunningChild = AsyncDisposable & {
  readonly pid: number
  /** Resolves when the process has exited, for any reason; never rejects. */
  readonly exited: Promise<ChildExit>
  /** Sends `stopSignal`, and SIGKILL after `stopGraceMs`. Resolves when the process has exited. Idempotent. */
  stop(): Promise<void>
  kill(): void
  recentLines(): readonly string[]
}

export type ChildOptions = {
  command: string
  args: readonly string[]
  env: Record<string, string>
  cwd?: string
  user?: { uid: number; gid: number } | undefined
  onLine?: ((line: string) => void) | undefined
  stopSignal: NodeJS.Signals
  stopGraceMs: number
  /** The signal that the system sends to the child when this process dies, on systems that support this. */
  deathSignal: NodeJS.Signals
  /** File for the child's process record, so that the next start can stop the child if this process is killed. */
  recordFile: string
}

const keptLines = 20

/** Starts a process in its own group, so that Ctrl-C reaches only this process. Rejects if the command cannot start. */
export async function runChild(options: ChildOptions): Promise<RunningChild> {
  const { command, args } = dieWithParent(options.command, options.args, options.deathSignal)
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    ...options.user,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
    // Descendants may keep the output open. Do not wait for them, but let output that is already printed arrive.
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), 200).unref())
  })
  const recent: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      recent.push(line)
      if (recent.length > keptLines) recent.shift()
      options.onLine?.(line)
    })
  }
  await once(child, 'spawn')
  const pid = child.pid as number // set once 'spawn' was emitted
  await recordProcess(options.recordFile, pid)

  async function stop() {
    const killTimer = setTimeout(() => child.kill('SIGKILL'), options.stopGraceMs)
    child.kill(options.stopSignal)
    await exited
    clearTimeout(killTimer)
    await forgetProcess(options.recordFile)
  }
  return {
    pid,
    exited,
    stop,
    kill: () => void child.kill('SIGKILL'),
    recentLines: () => recent,
    [Symbol.asyncDispose]: stop,
  }
}
