import type { Environment } from './grammar/context.ts'
import { run } from './run.ts'
import { Cancelled } from './terminal/failures.ts'
import { version } from './version.ts'

export async function start(environment: Environment): Promise<void> {
  const { stdin, stdout, stderr } = process
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Whoever asks twice has waited enough. What was on its way is gone on with the next time.
      if (stop.signal.aborted) process.exit(2)
      // A terminal that is closed stops what is done here, and nothing that the service does.
      const isMeant = signal !== 'SIGHUP'
      stop.abort(new Cancelled('Stopped. To resume, run the same command again', { isMeant }))
    })
  }
  // Who read the output has gone, as `head` does; anything else, such as a full disk, is a failure.
  stdout.on('error', (error: NodeJS.ErrnoException) =>
    stop.abort(error.code === 'EPIPE' ? new Cancelled('', { isMeant: false }) : error),
  )
  // Nobody is left to be told.
  stderr.on('error', () => {})
  const args = process.argv.slice(2)
  process.exitCode = await run({ args, environment, stdin, stdout, stderr, signal: stop.signal, version })
  // Where somebody has it open, it would keep the process until they write.
  stdin.destroy()
}
