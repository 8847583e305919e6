import type { z } from 'zod'
import { ApiError } from './api-error.ts'

/**
 * The body of a success as it was sent: fields and words (members of an enum) that this version does not know stay as
 * they are. Throws an `ApiError` for what is no such answer: not JSON, a field missing or of another kind.
 */
export function readAnswer(schema: z.ZodType, response: Response, text: string): unknown {
  const answer = parseJson(response, text)
  const { error } = schema.safeParse(answer)
  if (error?.issues.some(({ code }) => code !== 'invalid_value')) throw new ApiError(response, {}, { cause: error })
  return answer
}

/** What JSON.parse says quotes the text, which may hold a secret. */
function parseJson(response: Response, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(response, {})
  }
}
