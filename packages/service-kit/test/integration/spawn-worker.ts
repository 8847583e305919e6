import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { waitFor } from '@tideport/testing/wait-for'

const script = fileURLToPath(new URL('./processes/worker.ts', import.meta.url))

type Line = Record<string, unknown> & { msg: string }

/** Starts processes/worker.ts with only these settings; killed on disposal. */
export function spawnWorker(env: Record<string, string>) {
  const child = spawn(process.execPath, [script], {
    env: { ...nodeEnvironment(), HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const lines = () => output.stdout.split('\n').filter((text) => text.endsWith('}')).map((text) => JSON.parse(text) as Line) // biome-ignore format: one chain
  const line = (msg: string) => waitFor(() => lines().find((logged) => logged.msg === msg), { what: `"${msg}"` })
  return {
    child,
    output,
    ended,
    lines,
    line,
    adminUrl: async () => `http://127.0.0.1:${String((await line('admin port open')).adminPort)}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
