import { isUtf8 } from 'node:buffer'
import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { restOf } from '@tideport/contracts/endpoint/path-shape'
import type { z } from 'zod'
import { AppError, notFound } from '../process/app-error.ts'
import { invalidInput, toInputIssues } from './invalid-input.ts'
import { inOurWords } from './issue-words.ts'

/** Path parameters are ids and paths: one that is malformed names nothing. */
export function parseParams({ path, params: schema }: Pick<Endpoint, 'path' | 'params'>, params: unknown): unknown {
  if (schema === undefined) return undefined
  const { '*': left, ...named } = params as Record<string, string>
  const rest = restOf(path)
  const result = schema.safeParse(rest === null ? named : { ...named, [rest]: left })
  if (!result.success) throw notFound()
  return result.data
}

/** Throws 400 unless the query is percent-encoded UTF-8: decoded anyway, it would say what the client never sent. */
export function assertUtf8Query(url: string): void {
  const query = url.slice((url.indexOf('?') + 1 || url.length + 1) - 1)
  const encoded = query.match(/(?:%[0-9a-f]{2})+/gi) ?? []
  // Node reads the bytes that a URL may not have as Latin-1.
  const isValid = !/[\u0080-\u00ff]/.test(query) && encoded.every(isEncodedUtf8)
  if (!isValid) throw new AppError('validation_failed', 'The request query must be percent-encoded UTF-8')
}

function isEncodedUtf8(bytes: string): boolean {
  return isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex'))
}

/** Throws 400 with the path and reason of every fault. `undefined` is a body that was not sent. */
export function parseInput(schema: z.ZodType | undefined, part: 'query' | 'headers' | 'body', input: unknown): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(input, { error: inOurWords })
  if (result.success) return result.data
  throw invalidInput(part, toInputIssues(result.error))
}
