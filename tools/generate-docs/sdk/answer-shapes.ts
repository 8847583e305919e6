import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { type JsonSchema, openSchemaBook } from '@tideport/contracts/openapi/json-schema'
import { api } from '@tideport/contracts/public/api'

const heading = `// Generated from packages/contracts by \`npm run generate\`. Do not edit.

/**
 * Shape of a value in a response: a word (\`string\`, \`unknown\`, or \`@File\` for a named shape), the items of a list, the
 * members of an object (optional ones with \`?\`), the values of a record, or a union.
 */
export type Shape = string | { list: Shape } | { fields: Record<string, Shape> } | { values: Shape } | { any: Shape[] }
`

/**
 * Shapes of the responses of all endpoints, except operator endpoints, which the command line does not call.
 */
export function answerShapes(): string {
  const book = openSchemaBook()
  const answers = Object.values<Endpoint>(api).flatMap(({ access, method, path, success }) =>
    'schema' in success && access !== 'operator'
      ? [[`${method} ${path}`, shapeOf(book.answer(success.schema))] as const]
      : [],
  )
  const named = Object.entries(book.components).map(([name, schema]) => [name, shapeOf(schema)] as const)
  return [heading, recordText('named', named), recordText('answers', answers)].join('\n')
}

function recordText(name: string, entries: (readonly [string, unknown])[]): string {
  const lines = entries.map(([key, shape]) => `  ${JSON.stringify(key)}: ${JSON.stringify(shape)},\n`)
  return `export const ${name}: Record<string, Shape> = {\n${lines.toSorted().join('')}}\n`
}

function shapeOf({ $ref, const: only, enum: words, anyOf, oneOf, type, ...schema }: JsonSchema): unknown {
  if (typeof $ref === 'string') return `@${$ref.split('/').at(-1)}`
  if (only !== undefined || Array.isArray(words)) return typeof (only ?? (words as unknown[])[0])
  const several = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (several) return { any: several.map(shapeOf) }
  if (Array.isArray(type)) return { any: type.map((one) => shapeOf({ ...schema, type: one })) }
  if (type === 'array') return { list: shapeOf(schema.items as JsonSchema) }
  if (type === 'object') return objectShape(schema)
  return type === 'integer' ? 'number' : (type ?? 'unknown')
}

function objectShape({ properties = {}, required = [], additionalProperties }: JsonSchema): unknown {
  const members = Object.entries(properties as Record<string, JsonSchema>)
  if (members.length === 0 && typeof additionalProperties === 'object')
    return { values: shapeOf(additionalProperties as JsonSchema) }
  const mark = (name: string) => ((required as string[]).includes(name) ? name : `${name}?`)
  return { fields: Object.fromEntries(members.map(([name, schema]) => [mark(name), shapeOf(schema)])) }
}
