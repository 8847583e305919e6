import { ApiError } from '@tideport/sdk'
import { describeIssue } from '../text/describe-refusal.ts'

export interface Issue {
  /** Where in the request: `name`, `bucket.endpoint`. */
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
