import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { chart } from './support/helm.ts'
import type { Manifest } from './support/manifests.ts'

const read = (file: string) => readFileSync(join(chart, file), 'utf8')
const schema = JSON.parse(read('values.schema.json')) as Manifest

/** Follows references inside of the schema. */
function resolve(node: Manifest): Manifest {
  if (!node?.$ref) return node
  return resolve(
    node.$ref
      .slice(2)
      .split('/')
      .reduce((at: Manifest, step: string) => at[step], schema),
  )
}

type Leaf = { path: string; schema: Manifest }

/** The values that hold no others that the schema knows. */
function leavesOf(value: unknown, node: Manifest, path: string[] = []): Leaf[] {
  const found = resolve(node)
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
  if (entries.length === 0 || !found?.properties) return [{ path: path.join('.'), schema: found }]
  return entries.flatMap(([key, inner]) => leavesOf(inner, found.properties[key], [...path, key]))
}

/** And those that values.yaml leaves out, of every component for instance. */
function leavesIn(node: Manifest, path: string[] = []): Leaf[] {
  const found = resolve(node)
  if (!found.properties) return [{ path: path.join('.'), schema: found }]
  return Object.entries(found.properties).flatMap(([key, inner]) => leavesIn(inner, [...path, key]))
}

it('the schema says of every value what it is and what it means', () => {
  const leaves = [...leavesOf(parse(read('values.yaml')), schema), ...leavesIn(schema)]
  expect(leaves.length).toBeGreaterThan(500)
  const words = ['type', 'enum', 'const', 'anyOf', 'allOf']
  const isTold = ({ schema }: Leaf) => schema?.description && words.some((word) => word in schema)
  expect(leaves.filter((leaf) => !isTold(leaf)).map(({ path }) => path)).toEqual([])
})
