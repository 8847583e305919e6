import { join } from 'node:path'
import { withFileLock } from '../processes/file-lock.ts'
import { bareEnvironment, type Environment } from '../processes/host-environment.ts'
import { runCommand } from '../processes/run-command.ts'

type ConsoleOptions = { checkout: string; host: Environment; out: (line: string) => void }

const buildSeconds = 120

export const consoleDir = (checkout: string): string => join(checkout, 'apps/console/dist')

/** Builds the console if its sources changed, one build at a time. Only disposal waits for the build. */
export function keepConsole({ checkout, host, out }: ConsoleOptions): AsyncDisposable {
  const program = join(checkout, 'apps/console/build/main.ts')
  const options = { env: bareEnvironment(host), cwd: checkout, timeoutMs: buildSeconds * 1000 }
  const built = withFileLock(`${consoleDir(checkout)}.lock`, () =>
    runCommand(process.execPath, [program, '--if-stale'], options),
  ).catch((error: Error) => out(`The console could not be rebuilt: ${error.message}`))
  return {
    async [Symbol.asyncDispose]() {
      await built
    },
  }
}
