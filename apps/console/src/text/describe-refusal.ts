import { bytes, number } from './format.ts'
import { text } from './text.ts'

/** A refusal in the user's language, by its code and details. */
export function describeRefusal(
  code: string | null,
  sentence: string,
  details: Record<string, unknown> | null = null,
  { codes, other } = text.value.refusals,
): string {
  const said = Object.entries(codes).find(([known]) => known === code)?.[1] ?? other
  if (typeof said === 'string') return said
  const shown = Object.entries(details ?? {}).map(([name, value]) => [name, shownValue(name, value)])
  return said({ sentence, details: Object.fromEntries(shown) })
}

function shownValue(name: string, value: unknown): string {
  if (typeof value !== 'number') return String(value)
  return /bytes/i.test(name) ? bytes(value) : number(value)
}

/** What is wrong with one field, such as `limits.prefixes.0`: its rule, or else the message of the service. */
export function describeIssue(path: string, sentence: string, { fields, other } = text.value.refusals): string {
  const name = path.split('.').findLast((part) => Object.hasOwn(fields, part))
  return (name !== undefined && fields[name]) || other({ sentence })
}
