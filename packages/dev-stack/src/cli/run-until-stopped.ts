import { resolve } from 'node:path'
import { hostEnvironment } from '../processes/host-environment.ts'
import { startStack } from '../stack/start-stack.ts'
import type { CliOptions } from './parse-options.ts'
import { welcome } from './welcome.ts'

/**
 * Starts the stack, says `ready`, and stops it when `signal` aborts. Returns then; throws a sentence when it could not
 * start. `out` gets lines for the terminal.
 */
export async function runUntilStopped(
  { data, ...options }: CliOptions,
  signal: AbortSignal,
  out: (line: string) => void,
): Promise<void> {
  const dataDir = resolve(data)
  await using stack = await startStack({ ...options, dataDir, console: true, signal, out })
  const description = stack.describe()
  const isDevelopment = (hostEnvironment().SERVICE_ENV || 'development') === 'development'
  for (const line of welcome(description, dataDir, isDevelopment)) out(line)
  out(`ready ${description.gatewayUrls.join(' ')}`)
  await aborted(signal)
  out('stopping')
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
