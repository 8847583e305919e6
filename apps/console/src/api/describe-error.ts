import { ApiError } from '@tideport/sdk'
import { text } from '../text/text.ts'

/** A sentence for whoever reads it. The service's own is in English whatever the language, but says what was wrong. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return text.value.app.noAnswer
}
