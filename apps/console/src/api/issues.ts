import { ApiError } from '@tideport/sdk'
import { describeIssue } from '../text/describe-refusal.ts'

/** What the service found wrong with one of the things that it was told. */
export interface Issue {
  /** Where in the request: `name`, `bucket.endpoint`. */
  path: string
  /** A sentence, in the language of whoever reads it. */
  message: string
}

/** What an answer of 400 says of each field. */
export function issuesOf(error: unknown): readonly Issue[] {
  const issues = error instanceof ApiError ? error.details?.issues : undefined
  if (!Array.isArray(issues)) return []
  return (issues as Issue[]).map(({ path, message }) => ({ path, message: describeIssue(path, message) }))
}

/** Whether it is about the field of a form that has this name, or about a part of what is typed there. */
export const isAbout = ({ path }: Issue, name: string): boolean => path.split('.').includes(name)
