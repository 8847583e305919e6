import type { z } from 'zod'
import { AppError, notFound } from './app-error.ts'

/** Path parameters are ids: one that is malformed names nothing. */
export function parseParams(schema: z.ZodType | undefined, params: unknown): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(params)
  if (!result.success) throw notFound()
  return result.data
}

/** Throws 400 with the path and reason of every fault. `undefined` is a body that was not sent. */
export function parseInput(schema: z.ZodType | undefined, part: 'query' | 'headers' | 'body', input: unknown): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new AppError('validation_failed', `The request ${part} ${part === 'headers' ? 'are' : 'is'} not valid`, {
    details: { issues },
  })
}
