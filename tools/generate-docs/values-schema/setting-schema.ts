import { z } from 'zod'

/** A JSON Schema, draft 7. */
export type JsonSchema = { [keyword: string]: unknown }

const keywords = ['type', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'] as const

/** A chart's value for a setting: numbers as numbers, lists as lists. `message` explains a `pattern`. */
export function settingSchema(setting: z.core.$ZodType): JsonSchema {
  const [input, output] = (['input', 'output'] as const).map((io) => jsonSchema(setting, io)) as [
    JsonSchema,
    JsonSchema,
  ]
  if (String(input.enum) === 'true,false') return { type: 'boolean' }
  if (output.type === 'array') return { type: 'array', items: picked(output.items as JsonSchema, setting) }
  return picked(output.type === 'integer' || output.type === 'number' ? output : input, setting)
}

function jsonSchema(setting: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(setting, { io, target: 'draft-7', unrepresentable: 'any' }) as JsonSchema
}

function picked(schema: JsonSchema, setting: z.core.$ZodType): JsonSchema {
  const anyOf = schema.anyOf as JsonSchema[] | undefined
  if (anyOf) return { anyOf: anyOf.map((option) => picked(option, setting)) }
  if (schema.const !== undefined) return { const: schema.const }
  const kept = keywords.filter((word) => schema[word] !== undefined)
  const own = Object.fromEntries(kept.map((word) => [word, schema[word]]))
  return own.pattern === undefined ? own : { ...own, message: schema.message ?? messageOf(setting) }
}

/** Samples that a setting with a pattern must reject: a URL with unsupported parts, and other invalid text. */
const faulty = ['https://user:word@host/path?query#fragment', '" "']

/** The message of the service for a text that its pattern does not match. */
function messageOf(setting: z.core.$ZodType): string {
  const messages = faulty.flatMap((text) => messagesIn(z.safeParse(setting, text).error?.issues ?? []))
  const found = messages.find((text) => text.startsWith('must '))
  if (found === undefined) throw new Error('a setting with a pattern has no message that begins with "must"')
  return found
}

function messagesIn(issues: readonly z.core.$ZodIssue[]): string[] {
  const ofEntriesFirst = issues.toSorted((a, b) => b.path.length - a.path.length)
  return ofEntriesFirst.flatMap((issue) => [
    issue.message,
    ...(issue.code === 'invalid_union' ? issue.errors.flatMap(messagesIn) : []),
  ])
}

/** A pattern of one text. */
export const literal = (text: string) => text.replace(/[^\w]/g, '\\$&')

/** A list as one text with commas. */
export function asText({ items }: JsonSchema): JsonSchema {
  const { anyOf = [items] } = items as { anyOf?: JsonSchema[] }
  const options = anyOf as JsonSchema[]
  const words = options.map(({ pattern, const: word }) =>
    String(pattern ?? (word === undefined ? '[^,]+' : literal(String(word)))).replace(/^\^|\$$/g, ''),
  )
  const entry = ` *(${words.join('|')}) *`
  const { message } = options.find((option) => option.message !== undefined) ?? {}
  return { type: 'string', pattern: `^${entry}(,${entry})*$`, message: message ?? 'must not have empty entries' }
}

/** The same schema, or an empty value: an empty text, an empty list, null. */
export function orEmpty(schema: JsonSchema): JsonSchema {
  if (schema.type === 'string') return { anyOf: [{ const: '' }, schema] }
  return { anyOf: [{ type: 'null' }, schema] }
}
