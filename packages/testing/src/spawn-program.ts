import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { dieWithParent } from '@tideport/dev-stack/processes/die-with-parent'
import { nodeEnvironment } from './node-environment.ts'
import { bundleOf } from './programs/bundle-of.ts'
import { waitFor } from './wait-for.ts'

export interface ProgramEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

export type LogLine = Record<string, unknown> & { msg: string }

/** Starts a program with only these settings. It dies with this process, because a timed-out test never disposes. */
export function spawnProgram(file: URL, env: Record<string, string> = {}, args: readonly string[] = []) {
  const path = bundleOf(fileURLToPath(file))
  const bound = dieWithParent(process.execPath, [path, ...args], 'SIGKILL')
  const child = spawn(bound.command, bound.args, {
    env: { ...nodeEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  let hasEnded = false
  const ended = once(child, 'close').then(([code, signal]): ProgramEnd => {
    hasEnded = true
    return { code, signal }
  })

  const printed = () => output.stdout + output.stderr
  const logged: LogLine[] = []
  let readTo = 0
  /** Parses only new output, because every check calls it and some programs log much. */
  const lines = (): LogLine[] => {
    const end = output.stdout.lastIndexOf('\n') + 1
    const whole = output.stdout.slice(readTo, end).split('\n')
    logged.push(...whole.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text) as LogLine))
    readTo = end
    return [...logged]
  }

  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<ProgramEnd> {
    child.kill(signal)
    return await ended
  }

  /** Waits for a result of `look` and returns it. Kills the program on timeout. */
  async function reach<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
    let found: T | undefined
    const isSettled = async () => {
      const isOver = hasEnded // read before `look`: after the exit, all output has arrived
      found = await look()
      return isOver || found !== undefined
    }
    await waitFor(isSettled, { what }).catch(() => kill())
    if (found === undefined) throw new Error(`${path} did not reach ${what}. Output:\n${printed()}`)
    return found
  }

  const line = (msg: string) => reach(`"${msg}"`, () => lines().find((logged) => logged.msg === msg))
  const adminUrl = async () => `http://127.0.0.1:${String((await line('admin port open')).adminPort)}`

  return {
    output,
    printed,
    lines,
    reach,
    /** Waits for the first line with this message. Rejects if the program exits without it. */
    line,
    adminUrl,
    /** Waits until the program listens, and returns its URL. */
    url: async () => String((await line('listening')).address),
    async ready(): Promise<void> {
      const readyUrl = `${await adminUrl()}/ready`
      const isReady = async () => (await fetch(readyUrl)).ok || undefined
      await reach('being ready', () => isReady().catch(() => undefined))
    },
    metrics: async () => (await fetch(`${await adminUrl()}/metrics`)).text(),
    /** Resolves when the program has exited and all its output has arrived. */
    ended,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    stop: () => kill('SIGTERM'),
    kill,
    /** Kills the program. Throws if Node printed a warning in it. */
    async [Symbol.asyncDispose](): Promise<void> {
      await kill()
      assertNoWarning(output.stderr, path)
    },
  }
}

export type Program = ReturnType<typeof spawnProgram>

const WARNING = /^\([\w.-]+:\d+\) (?:\[\w+\] )?\w*Warning: .*$/m

/** Throws if the output of a process contains a Node warning, such as leaked listeners or deprecated APIs. */
export function assertNoWarning(printed: string, program: string): void {
  const [warning] = WARNING.exec(printed) ?? []
  if (warning !== undefined) throw new Error(`${program} was warned by Node: ${warning}`)
}
