import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Owner } from '@tideport/set-up/prepare-database'
import type { CommandContext, Environment } from './command.ts'

const root = new URL('../../../', import.meta.url)

/** The program reported its error on stderr. */
export class ProgramFailed extends Error {
  override name = 'ProgramFailed'
}

/**
 * Runs a program of a service; `program` is a path from the repository root. Throws `ProgramFailed` for an exit code
 * other than 0, and `Error` if the program was stopped.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, signal }: Pick<CommandContext, 'env' | 'signal'>,
): Promise<void> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, root)), ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  const [code, killedBy] = await once(child, 'exit')
  signal.removeEventListener('abort', stop)
  if (killedBy !== null) throw new Error(`${program} was stopped by ${killedBy}`)
  if (code !== 0) throw new ProgramFailed(`${program} exited with code ${code}`)
}

/** Sets `name` to the database URL of this owner, if given. */
export function withOwnersUrl(env: Environment, owner: Owner, name: string): Environment {
  const own = `${owner.toUpperCase()}_DATABASE_URL`
  const { [own]: url, [`${own}_FILE`]: file } = env
  return url || file ? { ...env, [name]: url, [`${name}_FILE`]: file } : env
}
