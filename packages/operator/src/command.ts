import type { Log } from '@tideport/service-kit/telemetry/logger'

export type Environment = Readonly<Record<string, string | undefined>>

export type CommandContext = {
  /** Arguments after the command's name. */
  args: string[]
  env: Environment
  log: Log
  print: (line: string) => void
  /** Aborts when the process is stopped. */
  signal: AbortSignal
}

export type Command = {
  usage: string
  summary: string
  /** Throws a sentence for the operator. */
  run: (context: CommandContext) => Promise<void>
}

/** Printed with the usage; exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
