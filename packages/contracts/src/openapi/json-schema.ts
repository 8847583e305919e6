import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** Converts zod schemas to JSON Schema. Schemas with `.meta({ id })` become components that references point to. */
export interface SchemaBook {
  request(schema: z.ZodType): JsonSchema
  answer(schema: z.ZodType): JsonSchema
  components: Record<string, JsonSchema>
}

export function openSchemaBook(): SchemaBook {
  const components: Record<string, JsonSchema> = {}

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: adapt })
    for (const [id, definition] of Object.entries($defs ?? {})) collect(id, pointAtComponents(definition))
    return pointAtComponents(root)
  }

  function collect(id: string, definition: JsonSchema) {
    const known = components[id]
    if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`Two different schemas are called "${id}"`)
    }
    components[id] = definition
  }

  return {
    request: (schema) => convert(schema, 'input'),
    answer: (schema) => convert(schema, 'output'),
    components,
  }
}

/**
 * Corrects zod's rendering: clients must accept new fields, a field that must be absent is `not: {}`, formats replace
 * their long patterns, and the range of safe integers is removed.
 */
function adapt({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (zodSchema._zod.def.type === 'undefined') jsonSchema.not = {}
  if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern
  if (jsonSchema.format === 'starts_with') delete jsonSchema.format
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

function pointAtComponents<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/')) as T
}
