import { z } from 'zod'

/** A JSON Schema, draft 7. */
export type JsonSchema = { [keyword: string]: unknown }

const keywords = ['type', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'] as const

/** What a value of the chart has to be for a setting of a service: numbers as numbers, lists as lists. */
export function settingSchema(setting: z.core.$ZodType): JsonSchema {
  const [input, output] = (['input', 'output'] as const).map((io) => jsonSchema(setting, io)) as [
    JsonSchema,
    JsonSchema,
  ]
  if (String(input.enum) === 'true,false') return { type: 'boolean' }
  if (output.type === 'array') return { type: 'array', items: picked(output.items as JsonSchema) }
  return picked(output.type === 'integer' || output.type === 'number' ? output : input)
}

function jsonSchema(setting: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(setting, { io, target: 'draft-7', unrepresentable: 'any' }) as JsonSchema
}

function picked(schema: JsonSchema): JsonSchema {
  const anyOf = schema.anyOf as JsonSchema[] | undefined
  if (anyOf) return { anyOf: anyOf.map(picked) }
  if (schema.const !== undefined) return { const: schema.const }
  const kept = keywords.filter((word) => schema[word] !== undefined)
  return Object.fromEntries(kept.map((word) => [word, schema[word]]))
}

/** A list as one text with commas. */
export function asText({ items }: JsonSchema): JsonSchema {
  const { anyOf = [items] } = items as { anyOf?: JsonSchema[] }
  const words = (anyOf as JsonSchema[]).map(({ pattern, const: word }) =>
    String(pattern ?? word ?? '[^,]+').replace(/^\^|\$$/g, ''),
  )
  const entry = ` *(${words.join('|')}) *`
  return { type: 'string', pattern: `^${entry}(,${entry})*$` }
}

/** The same, or nothing: an empty text, an empty list, null. */
export function orEmpty(schema: JsonSchema): JsonSchema {
  if (schema.type === 'string') return { anyOf: [{ const: '' }, schema] }
  return { anyOf: [{ type: 'null' }, schema] }
}
