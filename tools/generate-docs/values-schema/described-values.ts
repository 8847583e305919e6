import { isMap, isNode, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import type { JsonSchema } from './setting-schema.ts'

const WIDTH = 118

/** values.yaml with the description of each value above it. Comments above groups stay. */
export function describedValues(text: string, schema: JsonSchema): string {
  const document = parseDocument(text)
  describe(document.contents as YAMLMap, schema, schema, 0)
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

function describe(map: YAMLMap, node: JsonSchema, schema: JsonSchema, depth: number): void {
  map.flow = false
  for (const pair of map.items as Pair<Scalar<string>, unknown>[]) {
    const inner = resolve((node.properties as Record<string, JsonSchema>)[pair.key.value], schema)
    if (inner === undefined) throw new Error(`values.yaml: the schema has no ${pair.key.value}`)
    if (isMap(pair.value) && pair.value.items.length > 0 && inner.properties) {
      delete pair.value.commentBefore // above its first value
      describe(pair.value as YAMLMap, inner, schema, depth + 1)
    } else {
      pair.key.commentBefore = wrap(` -- ${inner.description}`, WIDTH - 2 * depth)
    }
    if (isNode(pair.value)) delete pair.value.comment
  }
}

export function resolve(node: JsonSchema | undefined, schema: JsonSchema): JsonSchema | undefined {
  if (typeof node?.$ref !== 'string') return node
  const steps = node.$ref.split('/').slice(1)
  const found = steps.reduce((at, step) => at[step] as JsonSchema, schema)
  return resolve(found, schema)
}

function wrap(text: string, width: number): string {
  const lines = ['']
  for (const word of text.trim().split(' ')) {
    const line = `${lines.at(-1)} ${word}`
    if (line.length > width) lines.push(` ${word}`)
    else lines[lines.length - 1] = line
  }
  return lines.join('\n')
}
