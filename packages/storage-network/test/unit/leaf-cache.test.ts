import { describe, expect, it } from 'vitest'
import { createLeafCache } from '../../src/verified/leaf-cache.ts'

const LEAVES = 3
const first = (leaf: Buffer) => leaf.readUInt8(0)

/** A cache of three leaves, each of which contains the letter of its name, and a record of its reads. */
function cacheOfLetters() {
  const cache = createLeafCache(LEAVES)
  const reads: string[] = []
  const spaces = new Set<Buffer>()
  const read = (name: string) => async (space: Buffer) => {
    reads.push(name)
    spaces.add(space)
    return space.fill(name, 0, 1)
  }
  const use = async (name: string) => String.fromCharCode(await cache.use(name, read(name), first))
  return { cache, reads, spaces, use }
}

describe('cached verified leaves', () => {
  it('are read once while recently used, in a limited number of buffers', async () => {
    const { use, reads, spaces } = cacheOfLetters()
    for (const name of 'abcacdadb') expect(await use(name)).toBe(name)
    expect(reads.join('')).toBe('abcdb')
    expect(spaces.size).toBe(LEAVES)
  })

  it('are read once for concurrent callers', async () => {
    const { use, reads } = cacheOfLetters()
    expect(await Promise.all([...'aabab'].map(use))).toEqual([...'aabab'])
    expect(reads.join('')).toBe('ab')
  })

  it('keep their buffers while callers wait, however many leaves are wanted', async () => {
    const { use, spaces } = cacheOfLetters()
    const names = [...'abcdefgh']
    expect(await Promise.all(names.map(use))).toEqual(names)
    expect(spaces.size).toBe(names.length)
    await use('i')
    for (const name of 'ihg') expect(await use(name)).toBe(name)
    expect(spaces.size).toBe(names.length)
  })

  it('are dropped if they do not verify, and their buffers are not reused', async () => {
    const { cache, use, spaces } = cacheOfLetters()
    const asked: Buffer[] = []
    const fail = (space: Buffer) => {
      asked.push(space)
      return Promise.reject(new Error('integrity'))
    }
    const both = [cache.use('a', fail, first), cache.use('a', fail, first)]
    for (const one of both) await expect(one).rejects.toThrow('integrity')
    expect(asked).toHaveLength(1)
    for (const name of 'abcdef') expect(await use(name)).toBe(name)
    expect(spaces.has(asked[0] as Buffer)).toBe(false)
  })
})
