import type { JsonSchema } from '@tideport/contracts/openapi/json-schema'

/** Components whose names would clash with global names. */
const renamed: Record<string, string> = { File: 'FileRecord', Error: 'ErrorBody', Copy: 'FileCopy' }

export const typeName = (component: string): string => renamed[component] ?? component

/** Converts a JSON Schema to a TypeScript type. Throws for an unsupported keyword. */
export function typeText(schema: JsonSchema, indent = ''): string {
  const { $ref, const: only, enum: words, anyOf, oneOf, allOf, not, type } = schema
  if (typeof $ref === 'string') return typeName($ref.split('/').at(-1) as string)
  if (not !== undefined) return 'never'
  if (only !== undefined) return literal(only)
  if (Array.isArray(words)) return words.map(literal).join(' | ')
  const union = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (union) return [...new Set(union.map((one) => typeText(one, indent)))].join(' | ')
  if (allOf && type === undefined) return (allOf as JsonSchema[]).map((one) => typeText(one, indent)).join(' & ')
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one }, indent)).join(' | ')
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayText(typeText(schema.items as JsonSchema, indent))
    case 'object':
      return objectText(schema, indent)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`No TypeScript for ${JSON.stringify(schema)}`)
  }
}

export function objectText(schema: JsonSchema, indent = ''): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const rest = schema.additionalProperties as JsonSchema | boolean | undefined
  if (properties.length === 0) {
    return typeof rest === 'object' ? `Record<string, ${typeText(rest, indent)}>` : 'Record<string, unknown>'
  }
  const required = (schema.required ?? []) as string[]
  const inner = `${indent}  `
  const lines = properties.map(([name, property]) => {
    const text = typeText(property, inner)
    const key = /^[a-zA-Z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${comment(property.description, inner)}${inner}${key}${required.includes(name) ? '' : '?'}: ${text}${required.includes(name) ? '' : ' | undefined'}\n`
  })
  const members = typeof rest === 'object' ? [...lines, `${inner}[name: string]: ${typeText(rest, inner)}\n`] : lines
  return `{\n${members.join('')}${indent}}`
}

export function comment(text: unknown, indent = ''): string {
  return typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n` : ''
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)

const arrayText = (item: string): string => (/^[\w$]+$/.test(item) ? `${item}[]` : `Array<${item}>`)
