import { parse } from 'yaml'
import { resolve } from './described-values.ts'
import type { Form } from './forms.ts'
import type { JsonSchema } from './setting-schema.ts'

type Values = Record<string, unknown>

/**
 * Paths of the values that must not be null: groups, and, where the schema lists all keys, texts, numbers, and switches that
 * are or must be more than empty. Helm removes a value that the user sets to null, and its default with it.
 */
export function requiredValues(text: string, { schema, forms }: { schema: JsonSchema; forms: { values: Form } }) {
  return below(parse(text) as Values, { node: schema, form: forms.values }, schema, '')
}

interface Place {
  node: JsonSchema
  form: Form | undefined
}

function below(values: Values, { node, form }: Place, schema: JsonSchema, prefix: string): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = resolve((node.properties as Record<string, JsonSchema>)[name], schema)
    if (inner === undefined || (Array.isArray(inner.type) && inner.type.includes('null'))) return []
    const path = `${prefix}${name}`
    const place = { node: inner, form: form?.keys?.[name] }
    if (isGroup(value)) return inner.properties ? [path, ...below(value, place, schema, `${path}.`)] : []
    const mayBeEmpty = place.form?.pattern === undefined || new RegExp(place.form.pattern).test('')
    return node.additionalProperties === false && !(isEmpty(value) && mayBeEmpty) ? [path] : []
  })
}

const isGroup = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown) => value === null || value === '' || value === false || Array.isArray(value)
