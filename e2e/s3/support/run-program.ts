import { spawn } from 'node:child_process'
import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

export type ProgramOptions = { env?: Record<string, string>; cwd?: string; timeoutMs?: number }

/** Runs a program with a bare environment. Returns its exit code, 124 after a timeout, and stdout with stderr. */
export async function runProgram(command: string, args: readonly string[], options: ProgramOptions = {}) {
  const { cwd, env, timeoutMs = 120_000 } = options
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number; output: string }>()
  const child = spawn(command, args, {
    ...(cwd ? { cwd } : {}),
    env: { ...bareEnvironment(hostEnvironment()), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => printed.push(bytes))
  child.once('error', reject)
  child.once('close', (code) => resolve({ code: code ?? 124, output: String(Buffer.concat(printed)) }))
  return await promise
}

/** Returns what the program printed. Throws with it if the program fails. */
export async function runWell(command: string, args: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const { code, output } = await runProgram(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} exited with ${code}\n${output}`)
  return output
}
