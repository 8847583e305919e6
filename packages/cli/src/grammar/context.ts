import type { Readable } from 'node:stream'
import type { Output } from '../terminal/output.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Context {
  readonly environment: Environment
  readonly output: Output
  readonly stdin: Readable & { isTTY?: boolean }
  /** Aborts with a `Cancelled` when the user stops the command. */
  readonly signal: AbortSignal
  /** `--profile` and `--url`. */
  readonly chosen: { profile?: string | undefined; url?: string | undefined }
}
