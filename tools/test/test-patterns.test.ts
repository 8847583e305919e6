import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const configs = globSync('vitest*.config.ts', { cwd: root })

interface Part {
  include?: string[]
  exclude?: string[]
  projects?: { test: Part }[]
}

/** Every pattern of a configuration with its braces expanded. Each must match a file. */
const patternsOf = ({ include = [], exclude = [], projects = [] }: Part): string[] => [
  ...[...include, ...exclude].flatMap(withoutBraces),
  ...projects.flatMap(({ test }) => patternsOf(test)),
]

function withoutBraces(pattern: string): string[] {
  const [braces, inside] = /\{([^{}]*)\}/.exec(pattern) ?? []
  if (braces === undefined || inside === undefined) return [pattern]
  return inside.split(',').flatMap((one) => withoutBraces(pattern.replace(braces, one)))
}

it.each(configs)('each pattern of %s matches an existing test', async (config) => {
  const { default: loaded } = (await import(join(root, config))) as { default: { test: Part } }
  const patterns = patternsOf(loaded.test)
  expect(patterns).not.toEqual([])
  expect(patterns.filter((pattern) => globSync(pattern, { cwd: root }).length === 0)).toEqual([])
})

it('expands braces', () => {
  expect(withoutBraces('{a,b}/*/{c,d}.ts')).toEqual(['a/*/c.ts', 'a/*/d.ts', 'b/*/c.ts', 'b/*/d.ts'])
})
