import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const fixturePath = (name: string) => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url))

/** Starts a program of `fixtures` in a separate process, and waits for its first line. */
export async function startFixture(name: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(process.execPath, [fixturePath(name), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const printed = once(createInterface({ input: child.stdout }), 'line')
  const [line] = await Promise.race([
    printed,
    exited.then(([code, signal]) => {
      throw new Error(`${name} exited with ${signal ?? `code ${code}`} before it printed a line`)
    }),
  ])
  return {
    pid: child.pid as number,
    line: line as string,
    /** Kills the program with -9. Resolves when it has exited. */
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await exited
    },
  }
}
