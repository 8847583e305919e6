import type { ErrorCode } from '@tideport/contracts/endpoint/errors'
import type { z } from 'zod'
import { AppError } from '../process/app-error.ts'

export type InputPart = 'path' | 'query' | 'headers' | 'body'

export interface InputIssue {
  path: string
  message: string
  code?: ErrorCode | undefined
}

/** 400 that names the part of a request, and every field in it, that is not as it has to be. */
export function invalidInput(part: InputPart, issues: readonly InputIssue[]): AppError {
  return invalid(`The request ${part} ${part === 'headers' ? 'are' : 'is'} not valid`, issues)
}

/** 400 with the code of the issues where one explains every field. */
export function invalid(sentence: string, issues: readonly InputIssue[]): AppError {
  const coded = issues.filter(({ code }) => code !== undefined)
  const isExplained = issues.every(({ path }) => coded.some((one) => one.path === path))
  const code = (isExplained && coded[0]?.code) || 'validation_failed'
  const details = { issues: issues.map(({ path, message }) => ({ path, message })) }
  return new AppError(code, sentence, { details })
}

/** `path` is the field where the schema is for one alone. */
export function toInputIssues({ issues }: z.ZodError, path?: string): InputIssue[] {
  return issues.map((issue) => ({
    path: path ?? issue.path.join('.'),
    message: issue.message,
    code: issue.code === 'custom' ? issue.params?.code : undefined,
  }))
}
