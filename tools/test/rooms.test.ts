import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname
const trees = [
  'packages/contracts/src',
  'packages/service-kit/src',
  'packages/dev-stack/src',
  'packages/file-lifecycle/src',
  'packages/bulk-jobs/src',
  'packages/export/src',
  'packages/repair/src',
  'services/auth/src',
  'services/files/src',
  'services/gateway/src',
  'services/webhooks/src',
]

describe.each(trees)('the rooms of %s', (tree) => {
  const imports = roomImports(tree)

  it('import each other in one direction', () => {
    const floors: string[][] = []
    const left = new Map(imports)
    while (left.size > 0) {
      const floor = [...left].filter(([, needs]) => ![...needs].some((room) => left.has(room))).map(([room]) => room)
      expect(floor, `these rooms import each other in a circle: ${[...left.keys()].join(', ')}`).not.toEqual([])
      for (const room of floor) left.delete(room)
      floors.push(floor)
    }
    expect(floors.length).toBeLessThanOrEqual(7)
  })

  it('name at the door no file that is not there', () => {
    for (const room of imports.keys()) {
      const places = [join(tree, room), tree, dirname(tree)].map((place) => join(root, place))
      const page = readFileSync(join(root, tree, room, 'README.md'), 'utf8')
      const named = [...page.matchAll(/`([^`\s]+\.(?:ts|sql))`/g)].map(([, name = '']) => name)
      const missing = named.filter((name) => !places.some((cwd) => globSync(name, { cwd }).length > 0))
      expect(missing, room).toEqual([])
    }
  })

  it('say at the door what they are for, in thirty lines at most', () => {
    for (const room of imports.keys()) {
      const page = readFileSync(join(root, tree, room, 'README.md'), 'utf8')
      expect(page.split('\n').length, room).toBeLessThanOrEqual(31)
    }
  })
})

/** The rooms (folders) of a tree, each with those that its files import. Routes are a list, not a room. */
function roomImports(tree: string): Map<string, Set<string>> {
  const base = join(root, tree)
  const rooms = new Map<string, Set<string>>()
  for (const file of globSync('*/**/*.ts', { cwd: base })) {
    const room = file.split('/')[0] as string
    if (room === 'routes') continue
    const needs = rooms.get(room) ?? new Set()
    rooms.set(room, needs)
    for (const [, target = ''] of readFileSync(join(base, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const other = relative(base, join(base, dirname(file), target)).split('/')
      if (other.length > 1 && other[0] !== room && other[0] !== '..') needs.add(other[0] as string)
    }
  }
  return rooms
}
