import { ApiError, NetworkError, UnauthenticatedError } from '@tideport/sdk'
import type { Output } from './output.ts'

export const exitCodes = { done: 0, failed: 1, cancelled: 2, partly: 3, login: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user stopped the command (`isMeant`), or closed the terminal or the reader of the output. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
  readonly isMeant: boolean

  constructor(sentence: string, { isMeant = true } = {}) {
    super(sentence)
    this.isMeant = isMeant
  }
}

export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded'
}

/** A summary of errors that were already reported, with the exit code. */
export class Told extends Error {
  override readonly name: string = 'Told'
  readonly exitCode: ExitCode

  constructor(sentence: string, exitCode: ExitCode) {
    super(sentence)
    this.exitCode = exitCode
  }
}

export class PartlyFailed extends Told {
  override readonly name = 'PartlyFailed'
  readonly failed: number
  readonly done: number

  constructor(failed: number, done: number, what: string) {
    super(`${failed} of ${failed + done} ${what} failed`, done > 0 ? exitCodes.partly : exitCodes.failed)
    this.failed = failed
    this.done = done
  }
}

/** Sums up several rounds of work on the same files. */
export class Tally {
  done: number
  failed: number

  constructor(done = 0, failed = 0) {
    this.done = done
    this.failed = failed
  }

  async add(count: number, work: Promise<unknown>): Promise<void> {
    try {
      await work
      this.done += count
    } catch (error) {
      if (!(error instanceof PartlyFailed)) throw error
      this.done += error.done
      this.failed += error.failed
    }
  }

  check(): void {
    if (this.failed > 0) throw new PartlyFailed(this.failed, this.done, 'files')
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Told) return error.exitCode
  if (error instanceof Cancelled) return exitCodes.cancelled
  if (error instanceof LoginNeeded || isRefusedLogin(error)) return exitCodes.login
  return exitCodes.failed
}

const isRefusedLogin = (error: unknown) =>
  error instanceof UnauthenticatedError || (error instanceof ApiError && error.status === 401)

export interface ErrorReport {
  error: string
  code: string | null
  requestId: string | null
}

export function reportOf(error: unknown): ErrorReport {
  if (error instanceof ApiError) return { error: error.message, code: error.code, requestId: error.requestId }
  if (error instanceof NetworkError) return { error: error.message + whyOf(error), code: null, requestId: null }
  const { code, message = String(error) } = error as Partial<NodeJS.ErrnoException>
  return { error: message, code: code ?? null, requestId: null }
}

/** Only the system's error code, because its messages contain URLs, which may be secret. */
function whyOf({ cause }: NetworkError): string {
  const code = typeof cause === 'string' ? cause : (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : ''
}

/**
 * Reports one failed item of many. With `--json`, the report is a result with `error`; `subject` identifies the item.
 */
export async function tellFailure(output: Output, subject: Record<string, unknown>, name: string, error: unknown) {
  const report = reportOf(error)
  if (output.json) await output.result({ ...subject, ...report }, '')
  else output.complaint(`${name}: ${report.error}${report.requestId === null ? '' : ` (request ${report.requestId})`}`)
}
