import type { Environment } from './grammar/context.ts'
import { run } from './run.ts'
import { Cancelled } from './terminal/failures.ts'
import { version } from './version.ts'

export async function start(environment: Environment): Promise<void> {
  const { stdin, stdout, stderr } = process
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second signal exits immediately. The next run resumes interrupted transfers.
      if (stop.signal.aborted) process.exit(2)
      // A closed terminal stops local work, but no job of the service.
      const isMeant = signal !== 'SIGHUP'
      stop.abort(new Cancelled('Stopped. To resume, run the same command again', { isMeant }))
    })
  }
  // EPIPE: the reader has exited, like `head`. Any other error, such as a full disk, is a failure.
  stdout.on('error', (error: NodeJS.ErrnoException) =>
    stop.abort(error.code === 'EPIPE' ? new Cancelled('', { isMeant: false }) : error),
  )
  // The terminal is closed, so errors cannot be reported.
  stderr.on('error', () => {})
  const args = process.argv.slice(2)
  process.exitCode = await run({ args, environment, stdin, stdout, stderr, signal: stop.signal, version })
  // An open stdin would keep the process running until the writer closes it.
  stdin.destroy()
}
