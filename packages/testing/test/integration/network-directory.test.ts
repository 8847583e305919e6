import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createNetworkDirectory } from '../../src/network-directory.ts'

it('flips exactly one bit, and leaves nothing behind', async () => {
  const network = await createNetworkDirectory()
  await mkdir(join(network.path, 'blob'))
  await writeFile(join(network.path, 'blob', 'file'), 'abc')
  expect(await network.list()).toEqual(['blob/file'])
  await network.corrupt('blob/file', 1)
  expect(await readFile(join(network.path, 'blob', 'file'), 'utf8')).toBe('acc')
  await expect(network.corrupt('blob/file', 3)).rejects.toThrow('has no byte 3')
  await network.dispose()
  expect(existsSync(network.path)).toBe(false)
})
