import type { ErrorCode } from '@tideport/contracts/endpoint/errors'
import type { z } from 'zod'
import { AppError } from '../process/app-error.ts'

export type InputPart = 'path' | 'query' | 'headers' | 'body'

interface InputIssue {
  path: string
  message: string
  code?: ErrorCode | undefined
}

/** 400 that names the invalid part of a request and every invalid field in it. */
export function invalidInput(part: InputPart, issues: readonly InputIssue[]): AppError {
  return invalid(`The request ${part} ${part === 'headers' ? 'are' : 'is'} not valid`, issues)
}

/** 400 with the first code of the issues if every invalid field has an issue with a code. */
export function invalid(sentence: string, issues: readonly InputIssue[]): AppError {
  const coded = issues.filter(({ code }) => code !== undefined)
  const isExplained = issues.every(({ path }) => coded.some((one) => one.path === path))
  const code = (isExplained && coded[0]?.code) || 'validation_failed'
  const details = { issues: issues.map(({ path, message }) => ({ path, message })) }
  return new AppError(code, sentence, { details })
}

/** `path`: the field name, if the schema validates a single field. */
export function toInputIssues({ issues }: z.ZodError, path?: string): InputIssue[] {
  return issues.map((issue) => ({
    path: path ?? issue.path.join('.'),
    message: issue.message,
    code: issue.code === 'custom' ? issue.params?.code : undefined,
  }))
}

type Issue = z.core.$ZodRawIssue

const types: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

const formats: Record<string, string> = {
  datetime: 'a time, e.g. 2026-01-31T12:00:00Z',
  date: 'a day, e.g. 2026-01-31',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 network, e.g. 192.0.2.0/24',
  cidrv6: 'an IPv6 network, e.g. 2001:db8::/32',
  base64: 'base64',
}

/** Message about an invalid value, for `safeParse(input, { error: inOurWords })`. A schema's own message wins. */
export function inOurWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'Must be sent'
      return `Must be ${types[issue.expected] ?? 'of another type'}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'too_small':
      return atLeast(issue)
    case 'too_big':
      return sized(issue.origin, 'at most', issue.maximum)
    case 'invalid_format':
      return Object.hasOwn(formats, issue.format) ? `Must be ${formats[issue.format]}` : 'Has an invalid format'
    case 'unrecognized_keys':
      return `Has unknown fields: ${issue.keys.join(', ')}`
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : 'Matches none of the allowed forms'
    default:
      return 'Is not valid'
  }
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `Must be ${values[0]}` : `Must be one of ${values.join(', ')}`

function atLeast({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  if (minimum === 1 && origin === 'string') return 'Must not be empty'
  return sized(origin, inclusive === false ? 'more than' : 'at least', minimum)
}

function sized(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'array') return `Must have ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`
  return `Must be ${bound} ${size}${origin === 'string' ? ' characters' : ''}`
}
