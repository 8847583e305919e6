import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { dieWithParent } from '@tideport/dev-stack/processes/die-with-parent'

const START_MS = 60_000

export interface Launched extends AsyncDisposable {
  pid: number
  url: string
}

export interface LaunchOptions {
  command: string
  args: readonly string[]
  port: number
  /** Receives all output, like a log collector. */
  logFile: string
}

export async function launch({ command, args, port, logFile }: LaunchOptions): Promise<Launched> {
  await using log = await open(logFile, 'a')
  const bound = dieWithParent(command, args, 'SIGKILL')
  const child = spawn(bound.command, bound.args, { stdio: ['ignore', log.fd, log.fd] })
  await once(child, 'spawn')
  const exited = once(child, 'exit')
  const deadline = Date.now() + START_MS
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${command} did not start; see ${logFile}`)
    }
    await delay(50)
  }
  return {
    pid: child.pid as number,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  return await once(socket, 'connect')
    .then(() => true)
    .catch(() => false)
    .finally(() => socket.destroy())
}
