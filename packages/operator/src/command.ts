import type { Log } from '@tideport/service-kit/telemetry/logger'

export type Environment = Readonly<Record<string, string | undefined>>

/** What every command gets. */
export type CommandContext = {
  /** What follows the command's name. */
  args: string[]
  env: Environment
  log: Log
  /** Prints a line for a person or a program. */
  print: (line: string) => void
  /** Aborts when the command was told to stop. */
  signal: AbortSignal
}

/** One word of `operator`. */
export type Command = {
  /** How it is called, after its name. */
  usage: string
  /** One line. */
  summary: string
  /** Throws a sentence for the operator when it fails. */
  run: (context: CommandContext) => Promise<void>
}

/** The caller's mistake: told with the usage, exit 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
