import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Environment } from './host-environment.ts'

type CommandOptions = {
  env: Environment
  timeoutMs: number
  cwd?: string
  /** Called at intervals while the program runs, with the elapsed time in seconds. */
  onProgress?: (seconds: number) => void
}

const progressEveryMs = 15_000

/** Runs a program until it exits and returns its stdout. The error message contains the last line of stderr. */
export async function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const startedAt = Date.now()
  const progress = setInterval(() => options.onProgress?.(Math.round((Date.now() - startedAt) / 1000)), progressEveryMs)
  try {
    const { cwd, env, timeoutMs: timeout } = options
    const { stdout } = await promisify(execFile)(command, args, { cwd, env, timeout, killSignal: 'SIGKILL' })
    return stdout
  } catch (error) {
    throw new Error(describeFailure(command, error as CommandFailure), { cause: error })
  } finally {
    clearInterval(progress)
  }
}

type CommandFailure = NodeJS.ErrnoException & { killed?: boolean; stderr?: string }

function describeFailure(command: string, { code, killed, stderr }: CommandFailure): string {
  if (code === 'ENOENT') return `${command} is not installed`
  if (killed) return `${command} took too long`
  const lastLine = stderr?.trimEnd().split('\n').at(-1)
  return lastLine ? `${command}: ${lastLine}` : `${command} exited with ${code}`
}
