import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { z } from 'zod'
import { descriptionOf } from '../configuration-page.ts'
import { type Form, Forms, withoutForms } from './forms.ts'
import { asText, type JsonSchema, orEmpty, settingSchema } from './setting-schema.ts'

type Node = string | { [key: string]: Node }
type Source = Record<'component' | 'own' | 'values' | 'definitions', Record<string, Node>> & {
  types: Record<string, JsonSchema>
  moved: Record<string, string>
}
/** All schemas that the services have for a setting, by its name. */
export type Settings = Map<string, z.core.$ZodType[]>

/**
 * `schema` is values.schema.json, `forms` what the templates check: values-schema.yaml, with each setting as its
 * service checks it. `passedOn` are settings that the chart passes on by name.
 */
export async function valuesSchema(settings: Settings, passedOn: readonly string[]) {
  const source = parse(await readFile(new URL('values-schema.yaml', import.meta.url), 'utf8')) as Source
  const reader = new Reader(source, settings)
  const byName = passedOn.map((name) => [name, reader.passedOn(name)])
  const definitions: JsonSchema = {
    ...reader.all(source.definitions),
    settings: {
      type: 'object',
      properties: Object.fromEntries(byName),
      additionalProperties: { type: ['string', 'number', 'boolean', 'array'] },
      description: 'Settings of docs/reference/settings.md by name',
    },
    component: {
      description: 'Values of every component',
      properties: reader.all({ ...source.component, ...source.own }),
    },
  }
  const own = { type: 'object', additionalProperties: false, properties: reader.all(source.values) }
  const moved = Object.entries(source.moved).map(([name, place]) => [
    name,
    { type: ['array', 'boolean', 'null', 'number', 'object', 'string'], description: `Refused. Use ${place}` },
  ])
  const schema = withoutForms({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the tideport chart',
    ...own,
    properties: { ...own.properties, ...Object.fromEntries(moved) },
    definitions,
  }) as JsonSchema
  return { schema, forms: { moved: source.moved, values: new Forms(definitions).of(own) as Form } }
}

class Reader {
  readonly #source: Source
  readonly #settings: Settings

  constructor(source: Source, settings: Settings) {
    this.#source = source
    this.#settings = settings
  }

  all(nodes: Record<string, Node>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, this.#node(node)]))
  }

  setting(name: string): JsonSchema {
    const schemas = (this.#settings.get(name) ?? []).map(settingSchema)
    const [first] = schemas
    if (first === undefined) throw new Error(`values-schema.yaml: no service has the setting ${name}`)
    const isSame = schemas.every((schema) => JSON.stringify(schema) === JSON.stringify(first))
    return isSame ? first : { allOf: schemas }
  }

  passedOn(name: string): JsonSchema {
    const schema = this.setting(name)
    const description = this.meaningOf(name)
    return schema.type === 'array' ? { anyOf: [schema, asText(schema)], description } : { ...schema, description }
  }

  meaningOf(name: string): string {
    const found = this.#settings
      .get(name)
      ?.map(descriptionOf)
      .find((description) => description !== undefined)
    if (found === undefined) throw new Error(`${name} has no description`)
    return found
  }

  #node(node: Node): JsonSchema {
    if (typeof node === 'string') return this.#leaf(node)
    if (!isSchema(node)) return this.#object(node)
    const { properties, items, ...rest } = node
    const inner = {
      ...(properties && { properties: this.all(properties as Record<string, Node>) }),
      ...(items && { items: this.#node(items) }),
    }
    return { ...rest, ...inner }
  }

  #leaf(text: string): JsonSchema {
    const [, name = '', meaning] = /^(.+?)(?: \| (.*))?$/s.exec(text) ?? []
    const [, form, setting, empty] = /^(setting|list) (\w+)(\?)?$/.exec(name) ?? []
    if (setting === undefined) {
      const type = this.#source.types[name]
      if (type === undefined) throw new Error(`values-schema.yaml: unknown type ${name}`)
      return { ...type, ...(meaning && { description: meaning }) }
    }
    const schema = form === 'list' ? asText(this.setting(setting)) : this.setting(setting)
    return { ...(empty ? orEmpty(schema) : schema), description: meaning ?? this.meaningOf(setting) }
  }

  #object({ _: besides = {}, ...nodes }: { [key: string]: Node }): JsonSchema {
    const { component, ...more } = besides as { component?: string[] }
    const names = component ? [...component, ...Object.keys(this.#source.component)] : []
    const references = names.map((name) => [name, { $ref: `#/definitions/component/properties/${name}` }])
    const properties = { ...Object.fromEntries(references), ...this.all(nodes) }
    return { type: 'object', additionalProperties: false, properties, ...more }
  }
}

/** A type may also be the name of a value, whose leaf it is then. */
function isSchema(node: { [key: string]: unknown }): boolean {
  const { type, enum: words, $ref: reference } = node
  return (
    (typeof type === 'string' && !type.includes(' | ')) ||
    Array.isArray(type) ||
    Array.isArray(words) ||
    typeof reference === 'string'
  )
}
