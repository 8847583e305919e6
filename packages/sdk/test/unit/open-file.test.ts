import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { openFile } from '../../src/node/open-file.ts'

it('rejects a pipe immediately instead of waiting for its writer', async () => {
  await using directory = await createTemporaryDirectory('open-file')
  const path = join(directory.path, 'pipe')
  execFileSync('mkfifo', [path])
  await expect(openFile(path)).rejects.toThrow('is not a file')
})

/** Files that report a size of 0 bytes or a page, but contain more. */
const lying = ['/proc/version', '/proc/self/status', '/proc/cpuinfo', '/sys/kernel/mm/transparent_hugepage/enabled', '/sys/kernel/uevent_seqnum', '/sys/block/loop0/size'].filter((path) => existsSync(path)) // biome-ignore format: one list

describe('a file with a false size', () => {
  it.each(lying)('yields all its bytes: %s', async (path) => {
    await using file = await openFile(path)
    const bytes = Buffer.from(await file.slice(0, file.size))
    expect(file.size).toBeGreaterThan(0)
    expect(bytes.length).toBe(file.size)
    // Other files change between two reads.
    if (path === '/proc/version') expect(bytes.equals(await readFile(path))).toBe(true)
  })

  it.skipIf(!existsSync('/dev/null'))('is rejected if it is not a file', async () => {
    for (const path of ['/dev/null', '/dev', '/dev/zero']) await expect(openFile(path)).rejects.toThrow('is not a file')
  })
})

describe('a file that changes', () => {
  const sizes = [0, 10, 64 * 1024, 64 * 1024 + 1, 200_000]
  it.each(sizes)('fails if it grows or shrinks from %i bytes', async (size) => {
    await using directory = await createTemporaryDirectory('open-file')
    const path = join(directory.path, 'log')
    for (const change of [() => appendFile(path, 'x'), () => truncate(path, size === 0 ? 1 : size - 1)]) {
      await writeFile(path, Buffer.alloc(size))
      await using file = await openFile(path)
      expect((await file.slice(0, file.size)).length).toBe(size)
      await change()
      await expect(file.slice(0, file.size)).rejects.toThrow('changed during the upload')
    }
  })
})
