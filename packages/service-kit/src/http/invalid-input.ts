import { AppError } from '../process/app-error.ts'

/** Where in a request something was sent. */
export type InputPart = 'path' | 'query' | 'headers' | 'body'

export interface InputIssue {
  /** The field, as its part names it. */
  path: string
  message: string
}

/** 400 that names the part of a request, and every field in it, that is not as it has to be. */
export function invalidInput(part: InputPart, issues: readonly InputIssue[]): AppError {
  return new AppError('validation_failed', `The request ${part} ${part === 'headers' ? 'are' : 'is'} not valid`, {
    details: { issues },
  })
}
