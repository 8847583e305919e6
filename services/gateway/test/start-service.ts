import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment } from '@tideport/testing/node-environment'

const services = new URL('../../', import.meta.url)

export interface RunningService extends AsyncDisposable {
  url: string
  adminUrl: string
  port: number
  /** Everything it logged so far. */
  output(): string
  /** Its exit code, null when the signal ended it. */
  kill(signal?: NodeJS.Signals): Promise<number | null>
}

/** A real service process on free loopback ports; resolves when it listens. */
export async function startService(name: string, env: Record<string, string>): Promise<RunningService> {
  const { child, output } = launch(name, {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    CONNECTION_DRAIN_SECONDS: '0',
    ...env,
  })
  const listening = Promise.withResolvers<{ port: number; adminPort: number }>()
  child.stdout?.on('data', () => {
    const port = /"address":"http:\/\/[^"]*:(\d+)"/.exec(output())?.[1]
    const adminPort = /"adminPort":(\d+)/.exec(output())?.[1]
    if (port && adminPort) listening.resolve({ port: Number(port), adminPort: Number(adminPort) })
  })
  child.once('exit', (code) => listening.reject(new Error(`${name} ended with ${code}: ${output()}`)))
  const { port, adminPort } = await listening.promise
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    return child.exitCode
  }
  return {
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    port,
    output,
    kill,
    async [Symbol.asyncDispose]() {
      await kill()
    },
  }
}

/** Runs a service that is expected to refuse its settings; its exit code and everything it printed. */
export async function runToExit(name: string, env: Record<string, string>) {
  const { child, output } = launch(name, {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    CONNECTION_DRAIN_SECONDS: '0',
    ...env,
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await once(child, 'close')
  clearTimeout(timer)
  return { code: child.exitCode, output: output() }
}

function launch(name: string, env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const main = fileURLToPath(new URL(`${name}/src/main.ts`, services))
  const child = spawn(process.execPath, [main], {
    env: { ...nodeEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk))
  return { child, output: () => text }
}
