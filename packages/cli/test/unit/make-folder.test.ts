import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { inFolder } from '../../src/local/held-folder.ts'
import { makeFolder } from '../../src/local/make-folder.ts'
import { stateFolder } from '../../src/profile/directories.ts'

it('a folder is made with those above it, once, and the outermost of them is told', async () => {
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

it('a folder is made through links of the user to folders, and not where a file or a link to nothing is', async () => {
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

it.runIf(process.platform === 'linux')('where no folder can be made, that is said', async () => {
  const sentence = '/proc/tideport cannot be created: /proc accepts no folders'
  for (const folder of ['/proc/tideport', '/proc/tideport/a/b']) {
    await expect(inFolder({ root: folder, folder, make: true }, async () => {})).rejects.toThrow(sentence)
  }
  await expect(stateFolder({ XDG_STATE_HOME: '/proc' }, 'uploads')).rejects.toThrow('is not writable (ENOENT). Set XDG')
})
