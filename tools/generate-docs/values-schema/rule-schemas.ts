import type { JsonSchema } from './setting-schema.ts'

/** Paths of values with their schemas, all of which hold, and `any`, of which one does. */
type Condition = { [path: string]: JsonSchema | Condition[] }

/** What values need of each other. */
export type Rule = { about: string; each?: string[]; where?: Condition; unless?: Condition; need: Condition }

/** One for each of `each`. */
export function ruleSchemas(rule: Rule): JsonSchema[] {
  const rules = (rule.each ?? ['']).map((name) => JSON.parse(JSON.stringify(rule).replaceAll('<each>', name)) as Rule)
  return rules.map(({ about, where, unless, need }) => {
    const conditions = [...(where ? [allOf(where)] : []), ...(unless ? [{ not: allOf(unless) }] : [])]
    const [only] = conditions
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    return { description: about, if: conditions.length === 1 ? only : { allOf: conditions }, then: allOf(need) }
  })
}

function allOf(condition: Condition): JsonSchema {
  const schemas = Object.entries(condition).map(([path, schema]) =>
    path === 'any' ? { anyOf: (schema as Condition[]).map(allOf) } : at(path.split('.'), schema as JsonSchema),
  )
  const [only] = schemas
  return schemas.length === 1 && only ? only : { allOf: schemas }
}

function at([name, ...rest]: string[], schema: JsonSchema): JsonSchema {
  if (name === undefined) return schema
  return { required: [name], properties: { [name]: at(rest, schema) } }
}
