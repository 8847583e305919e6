import { enableCompileCache } from 'node:module'
import { faultOfNode } from './cli/node-version.ts'
import { stopSignal } from './cli/stop-signal.ts'
import { compileCache } from './processes/compile-cache.ts'

process.stdout.on('error', () => {}) // The reader of the output has exited; the stack continues.
process.exitCode = await main(process.argv.slice(2))
process.exit()

/** The exit code: 0 after a clean stop, 1 if the start failed, 2 for invalid arguments, 130 if a signal stopped it. */
async function main(args: readonly string[]): Promise<number> {
  const fault = faultOfNode(process.versions.node)
  if (fault !== undefined) return fail(fault, 1)
  enableCompileCache(compileCache)
  // Imported after the check, because an older Node cannot parse these files.
  const { parseOptions, UsageError } = await import('./cli/parse-options.ts')
  const { runUntilStopped } = await import('./cli/run-until-stopped.ts')
  const stop = stopSignal()
  try {
    await runUntilStopped(parseOptions(args), stop, (line) => process.stdout.write(`${line}\n`))
    return 0
  } catch (error) {
    if (stop.aborted) return 130
    return fail((error as Error).message, error instanceof UsageError ? 2 : 1)
  }
}

function fail(sentence: string, exitCode: number): number {
  process.stderr.write(`${sentence}\n`)
  return exitCode
}
