#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { stopSignal } from '@tideport/dev-stack/cli/stop-signal'
import { armFailpoints } from '@tideport/service-kit/process/failpoint'
import { type Options, parseOptions, UsageError, usage } from './options.ts'

process.stdout.on('error', () => {}) // The reader of the output has exited; the servers continue.
process.exitCode = await main(process.argv.slice(2))
process.exit()

/** The exit code: 0 after a clean stop, 1 if the start failed, 2 for invalid arguments, 130 if a signal stopped it. */
async function main(args: readonly string[]): Promise<number> {
  const stop = stopSignal()
  const out = (line: string) => void process.stdout.write(`${line}\n`)
  try {
    const options = parseOptions(args, process.env)
    if (options.command === 'help') return out(usage) ?? 0
    if (options.command === 'check') return await (await import('./check.ts')).check(options, process.env)
    enableCache(options)
    if (options.command === 'move-out') {
      const { moveOut } = await import('./move-out/move-out.ts')
      const { SERVICE_ENV, FAILPOINT_DIR } = process.env
      if (SERVICE_ENV === 'development' && FAILPOINT_DIR) armFailpoints(FAILPOINT_DIR)
      await moveOut(options, process.env, stop, out)
    } else {
      const { start } = await import('./start.ts')
      await start(options, process.env, stop, out)
    }
    return 0
  } catch (error) {
    if (stop.aborted) return 130
    const isUsage = error instanceof UsageError
    process.stderr.write(`tideport: ${(error as Error).message}\n${isUsage ? `\n${usage}` : ''}`)
    return isUsage ? 2 : 1
  }
}

/** The default cache may be read-only. A new data directory stays empty until the start creates it. */
function enableCache({ dataDir }: Options): void {
  const cache = join(dataDir, 'cache/node')
  if (existsSync(cache)) enableCompileCache(cache)
}
