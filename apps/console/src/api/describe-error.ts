import { ApiError, ProtocolError } from '@tideport/sdk'
import { describeIssue, describeRefusal } from '../text/describe-refusal.ts'
import { text } from '../text/text.ts'

/** A sentence for the user. `issues` are those that no form field shows. */
export function describeError(error: unknown, issues: readonly Issue[] = issuesOf(error)): string {
  if (error instanceof ProtocolError) return text.value.app.wrongAnswer
  if (!(error instanceof ApiError)) return text.value.app.noAnswer
  const { code, sentence, details } = error
  const refusal = describeRefusal(code, sentence, details)
  return [refusal, ...issues.map(({ path, message }) => `${path}: ${message}`)].join('. ')
}

export interface Issue {
  /** The place in the request: `name`, `bucket.endpoint`. */
  path: string
  message: string
}

/** The issues of a 400 response, translated. */
export function issuesOf(error: unknown): readonly Issue[] {
  const issues = error instanceof ApiError ? error.details?.issues : undefined
  if (!Array.isArray(issues)) return []
  return (issues as Issue[]).map(({ path, message }) => ({ path, message: describeIssue(path, message) }))
}

/** Whether the issue concerns the form field of this name. */
export const isAbout = ({ path }: Issue, name: string): boolean => path.split('.').includes(name)
