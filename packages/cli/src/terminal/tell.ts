import { reportOf } from './failures.ts'
import type { Output } from './output.ts'

/**
 * One of many things that failed, while the others go on: with `--json` a result like the others, that has `error`.
 * `subject` says which it was.
 */
export async function tellFailure(output: Output, subject: Record<string, unknown>, name: string, error: unknown) {
  const report = reportOf(error)
  if (output.json) await output.result({ ...subject, ...report }, '')
  else output.complaint(`${name}: ${report.error}${report.requestId === null ? '' : ` (request ${report.requestId})`}`)
}
