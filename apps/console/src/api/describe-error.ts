import { ApiError, ProtocolError } from '@tideport/sdk'
import { describeRefusal } from '../text/describe-refusal.ts'
import { text } from '../text/text.ts'
import { type Issue, issuesOf } from './issues.ts'

/** A sentence for the user. `issues` are the ones that no form field shows. */
export function describeError(error: unknown, issues: readonly Issue[] = issuesOf(error)): string {
  if (error instanceof ProtocolError) return text.value.app.wrongAnswer
  if (!(error instanceof ApiError)) return text.value.app.noAnswer
  const { code, sentence, details } = error
  const refusal = describeRefusal(code, sentence, details)
  return [refusal, ...issues.map(({ path, message }) => `${path}: ${message}`)].join('. ')
}
