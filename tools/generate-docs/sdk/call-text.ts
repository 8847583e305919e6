import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import type { JsonSchema, SchemaBook } from '@tideport/contracts/openapi/json-schema'
import { comment } from './type-text.ts'

export interface ShapeBook {
  book: SchemaBook
  /** Declares a type unless the schema already has a name. Returns the name. */
  name(name: string, schema: JsonSchema): string
}

/** The source text of one endpoint's function. Its input is flat, so path, query, and body share no name. */
export function callText(id: string, endpoint: Endpoint, { book, name }: ShapeBook): string {
  const title = id.replace(/^./, (letter) => letter.toUpperCase())
  const input = inputOf(id, endpoint, book)
  const takes = input === null ? 'Record<never, never>' : name(`${title}Input`, input)
  const docs = comment([`${endpoint.summary}.`, endpoint.description].filter(Boolean).join(' '))
  const { success } = endpoint
  const marks = flags(endpoint)
  if (!('schema' in success)) {
    return `${docs}export const ${id} = /* @__PURE__ */ bytesCall<${takes}>('${endpoint.path}'${marks})\n`
  }
  const schema = book.answer(success.schema)
  const answer = name(`${title}Answer`, schema)
  const items = endpoint.method === 'GET' ? itemsOf(schema, book) : null
  if (items !== null) {
    return `${docs}export const ${id} = /* @__PURE__ */ listCall<${takes}, ${answer}, '${items}'>('${endpoint.path}', '${items}'${marks})\n`
  }
  return `${docs}export const ${id} = /* @__PURE__ */ call<${takes}, ${answer}>('${endpoint.method}', '${endpoint.path}'${marks})\n`
}

/** Name of the items of a list: a response with a cursor and one required array. */
function itemsOf(schema: JsonSchema, book: SchemaBook): string | null {
  const named = typeof schema.$ref === 'string' ? book.components[schema.$ref.split('/').at(-1) as string] : schema
  const properties = (named?.properties ?? {}) as Record<string, JsonSchema>
  if (!('nextCursor' in properties)) return null
  const required = (named?.required ?? []) as string[]
  const arrays = Object.entries(properties).filter(([name, { type }]) => type === 'array' && required.includes(name))
  return arrays.length === 1 && arrays[0] ? arrays[0][0] : null
}

function inputOf(id: string, endpoint: Endpoint, book: SchemaBook): JsonSchema | null {
  const parts = [endpoint.params, endpoint.query, endpoint.body].filter((part) => part !== undefined)
  const schemas = parts.map((part) => book.request(part))
  const properties = schemas.flatMap((schema) =>
    Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>),
  )
  if (properties.length === 0) return null
  const names = properties.map(([name]) => name)
  if (new Set(names).size < names.length) throw new Error(`${id}: a name is used in two places of the request`)
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, schema]) => [name, spoken(schema)])),
    required: schemas.flatMap((schema) => (schema.required ?? []) as string[]),
  }
}

/** A flag of a query is a boolean in the SDK. */
function spoken(schema: JsonSchema): JsonSchema {
  return JSON.stringify(schema.enum) === '["true","false"]' ? { ...schema, enum: undefined, type: 'boolean' } : schema
}

function flags({ access, headers, method, query, repeatable }: Endpoint): string {
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const marks = [
    ...(query && hasBody ? [`query: [${Object.keys(query.shape).map((name) => `'${name}'`)}]`] : []),
    ...(access === 'public' ? ['isPublic: true'] : []),
    ...(headers && 'idempotency-key' in headers.shape ? ['takesKey: true'] : []),
    ...(repeatable || !hasBody ? ['repeatable: true'] : []),
  ]
  return marks.length > 0 ? `, { ${marks.join(', ')} }` : ''
}
