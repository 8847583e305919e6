import { type JsonSchema, literal } from './setting-schema.ts'

/** The form of a value: what the chart's templates check, because Helm prints a `pattern` of a schema as it is. */
export interface Form {
  /** The pattern of a text. */
  pattern?: string
  message?: string
  /** The form of each list entry. */
  each?: Form
  /** The forms of the names in a map, of values by name, and of all other values. */
  names?: Form
  keys?: Record<string, Form>
  others?: Form
}

/** Separates the forms of a schema from the rest, which Helm checks. Equal references have one form. */
export class Forms {
  readonly #definitions: JsonSchema
  readonly #known = new Map<unknown, Form | undefined>()

  constructor(definitions: JsonSchema) {
    this.#definitions = definitions
  }

  of(schema: JsonSchema): Form | undefined {
    if (this.#known.has(schema)) return this.#known.get(schema)
    const form = this.#read(schema)
    const isEmpty = Object.values(form).every((part) => part === undefined)
    this.#known.set(schema, isEmpty ? undefined : form)
    return this.#known.get(schema)
  }

  #read(schema: JsonSchema): Form {
    if (typeof schema.$ref === 'string') return this.of(this.#resolve(schema.$ref)) ?? {}
    const { pattern, message, items, properties, additionalProperties, propertyNames, anyOf } = schema
    if (anyOf) return this.#either(anyOf as JsonSchema[])
    if (pattern !== undefined && message === undefined) throw new Error(`The pattern ${pattern} has no message`)
    const keys = Object.entries((properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, inner]) => {
      const form = this.of(inner)
      return form ? [[name, form] as const] : []
    })
    return defined({
      pattern: pattern as string | undefined,
      message: message as string | undefined,
      each: items ? this.of(items as JsonSchema) : undefined,
      names: propertyNames ? this.of(propertyNames as JsonSchema) : undefined,
      keys: keys.length > 0 ? Object.fromEntries(keys) : undefined,
      others: typeof additionalProperties === 'object' ? this.of(additionalProperties as JsonSchema) : undefined,
    })
  }

  /** A word, or a text of another form; or values of several types, each with its form. */
  #either(options: JsonSchema[]): Form {
    const form: Form = Object.assign({}, ...options.map((option) => this.of(option) ?? {}))
    const words = options.flatMap(({ const: word }) => (word === undefined ? [] : [literal(String(word))]))
    return form.pattern === undefined || words.length === 0
      ? form
      : { ...form, pattern: `^(${words.join('|')})$|${form.pattern}` }
  }

  #resolve(reference: string): JsonSchema {
    const steps = reference.split('/').slice(2)
    return steps.reduce((at, step) => at[step] as JsonSchema, this.#definitions)
  }
}

function defined(form: { [part in keyof Form]: Form[part] | undefined }): Form {
  return Object.fromEntries(Object.entries(form).filter(([, part]) => part !== undefined))
}

/** The schema without forms. Alternatives become one list of types, so that Helm names one fault for one value. */
export function withoutForms(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutForms)
  if (typeof node !== 'object' || node === null) return node
  const { pattern: _pattern, message: _message, propertyNames: _names, anyOf, ...schema } = node as JsonSchema
  const parts = ((anyOf ?? []) as JsonSchema[]).map((option) =>
    option.const === undefined ? (withoutForms(option) as JsonSchema) : { type: 'string' },
  )
  const types = [...new Set(parts.flatMap(({ type }) => type as string | string[]))]
  const type = types.length > 1 ? types : types[0]
  return { ...Object.assign({}, ...parts), ...(anyOf ? { type } : {}), ...mapEntries(schema) }
}

/** A property may be called like a keyword. */
function mapEntries(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => {
    const isMap = key === 'properties' || key === 'definitions'
    return [key, isMap ? mapProperties(value as object) : withoutForms(value)]
  })
  return Object.fromEntries(entries)
}

function mapProperties(properties: object): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withoutForms(schema)]))
}
