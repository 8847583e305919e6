import { ApiError, ProtocolError } from '@tideport/sdk'
import { sayRefusal } from '../text/say-refusal.ts'
import { text } from '../text/text.ts'
import { type Issue, issuesOf } from './issues.ts'

/** A sentence for whoever reads it, with what is wrong with each field; `issues` are those that are told nowhere else. */
export function describeError(error: unknown, issues: readonly Issue[] = issuesOf(error)): string {
  if (error instanceof ProtocolError) return text.value.app.wrongAnswer
  if (!(error instanceof ApiError)) return text.value.app.noAnswer
  return [sayRefusal(error.sentence), ...issues.map(({ path, message }) => `${path}: ${message}`)].join('. ')
}
