import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { inFolder } from '../../src/local/held-folder.ts'
import { makeFolder } from '../../src/local/make-folder.ts'
import { stateFolder } from '../../src/profile/directories.ts'

it('creates a folder and its parents once, and returns the outermost created folder', async () => {
  await using directory = await createTemporaryDirectory('make')
  const at = (name: string) => join(directory.path, name)
  expect(await makeFolder(at('a/b/c'), 0o700)).toBe(at('a'))
  expect(await makeFolder(at('a/b/c'))).toBeUndefined()
  expect(await makeFolder(at('a/b/d'))).toBe(at('a/b/d'))
  expect(await Promise.all(['a', 'a/b'].map(async (name) => (await stat(at(name))).mode & 0o777))).toEqual([0o700, 0o700]) // biome-ignore format: one claim
  const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(at('x/y/z'))))
  expect(made).toContain(at('x'))
  expect(await readdir(at('x/y'))).toEqual(['z'])
})

it("creates a folder through the user's links, but not over a file or a broken link", async () => {
  await using directory = await createTemporaryDirectory('make')
  const at = (name: string) => join(directory.path, name)
  await mkdir(at('real'))
  await symlink('real', at('link'))
  await symlink('nothing', at('broken'))
  await writeFile(at('file'), '')
  expect(await makeFolder(at('link/in'))).toBe(at('link/in'))
  expect(await readdir(at('real'))).toEqual(['in'])
  for (const [place, which] of Object.entries({ file: 'file', broken: 'broken', 'broken/in': 'broken' })) {
    await expect(makeFolder(at(place))).rejects.toThrow(`${at(which)} is not a folder`)
  }
  await expect(makeFolder(at('file/in'))).rejects.toThrow('ENOTDIR')
})

it.runIf(process.platform === 'linux')('reports a place that accepts no folders', async () => {
  const sentence = '/proc/tideport cannot be created: /proc accepts no folders'
  for (const folder of ['/proc/tideport', '/proc/tideport/a/b']) {
    await expect(inFolder({ root: folder, folder, make: true }, async () => {})).rejects.toThrow(sentence)
  }
  await expect(stateFolder({ XDG_STATE_HOME: '/proc' }, 'uploads')).rejects.toThrow('is not writable (ENOENT). Set XDG')
})
