import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname
const trees = globSync('{packages,services,apps}/*/src', { cwd: root }).toSorted()

describe.each(trees)('the folders of %s', (tree) => {
  const imports = folderImports(tree)

  it('import each other in one direction', () => {
    const left = new Map(imports)
    while (left.size > 0) {
      const ground = [...left]
        .filter(([, needs]) => ![...needs].some((folder) => left.has(folder)))
        .map(([folder]) => folder)
      expect(ground, `these folders import each other in a cycle: ${[...left.keys()].join(', ')}`).not.toEqual([])
      for (const folder of ground) left.delete(folder)
    }
  })

  it.each(globSync('*/README.md', { cwd: join(root, tree) }))('have a short %s that names existing files', (name) => {
    const page = readFileSync(join(root, tree, name), 'utf8')
    expect(page.split('\n').length).toBeLessThanOrEqual(31)
    const places = [join(tree, dirname(name)), tree, dirname(tree)].map((place) => join(root, place))
    const named = [...page.matchAll(/`([^`\s]+\.(?:ts|sql))`/g)].map(([, path = '']) => path)
    expect(named.filter((path) => !places.some((cwd) => globSync(path, { cwd }).length > 0))).toEqual([])
  })
})

/** Each folder of a source tree, with the folders that its files import. */
function folderImports(tree: string): Map<string, Set<string>> {
  const base = join(root, tree)
  const folders = new Map<string, Set<string>>()
  for (const file of globSync('*/**/*.{ts,tsx}', { cwd: base })) {
    const folder = file.split('/')[0] as string
    const needs = folders.get(folder) ?? new Set()
    folders.set(folder, needs)
    for (const [, target = ''] of readFileSync(join(base, file), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const other = relative(base, join(base, dirname(file), target)).split('/')
      if (other.length > 1 && other[0] !== folder && other[0] !== '..') needs.add(other[0] as string)
    }
  }
  return folders
}
