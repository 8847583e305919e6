import { describe, expect, it } from 'vitest'
import { createTreeCache, type Tree } from '../../src/verified/tree-cache.ts'

const MIB = 1024 * 1024
const treeOf = (bytes: number): Tree => ({ sizeBytes: 1, leafDigests: Buffer.alloc(bytes) })

describe('cached verified trees', () => {
  it('take at most 16 MiB: the least recently used tree is dropped first', () => {
    const trees = createTreeCache()
    for (const name of ['a', 'b', 'c']) trees.set(name, treeOf(5 * MIB))
    expect(trees.get('a')).toBeDefined()
    trees.set('d', treeOf(5 * MIB))
    expect(['a', 'b', 'c', 'd'].filter((name) => trees.get(name))).toEqual(['a', 'c', 'd'])
  })

  it('are not cached if one alone is larger, and short ones count with the pool memory that they may keep', () => {
    const trees = createTreeCache()
    trees.set('large', treeOf(17 * MIB))
    expect(trees.get('large')).toBeUndefined()
    for (let at = 0; at < 3000; at++) trees.set(String(at), treeOf(64))
    const kept = Array.from({ length: 3000 }, (_, at) => trees.get(String(at))).filter(Boolean)
    expect(kept.length).toBeLessThanOrEqual(2048)
    expect(trees.get('2999')).toBeDefined()
  })
})
